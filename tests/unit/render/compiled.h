/* Programs and libraries that a test builds itself from tests/unit/render/fixtures, and what binutils say of them. */
#ifndef TRACESHIM_TESTS_COMPILED_H
#define TRACESHIM_TESTS_COMPILED_H

#include <stddef.h>
#include <stdint.h>

/* A fresh temporary directory for one test; removed, with all in it, by compiled_remove. */
char *compiled_directory(void);
void compiled_remove(char *directory);

/*
 * `format` is a shell command ; `$D` in it is the directory. The test fails when the command does. It runs in
 * the directory of the test run, the top of the source tree.
 */
void compiled_run(const char *directory, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the program is installed: tests of a second compiler are skipped without it. */
int compiled_have(const char *program);

/* The path of a file in the directory; valid until the next call but three. */
const char *compiled_path(const char *directory, const char *name);

/* Address of a symbol as `nm` tells it; the test fails when it has none. */
uint64_t compiled_address(const char *path, const char *symbol);

/* The file's content. The caller frees it. */
uint8_t *compiled_read(const char *path, size_t *bytes);
void compiled_write(const char *path, const void *bytes, size_t count);

#endif
