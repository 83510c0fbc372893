/*
 * What the fuzz targets share. A target is one file <name>_target.c with LLVMFuzzerTestOneInput, linked with libFuzzer
 * (`make fuzz`) or with replay.c, which feeds it the files of the corpus (`make replay`). Whatever the input says, a
 * target returns; what must not happen aborts.
 */
#ifndef TRACESHIM_TESTS_FUZZ_H
#define TRACESHIM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* libFuzzer's interface; a target defines the first, and the second where it knows the format of its input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* A file in memory with a path, one for all inputs: each call replaces its content. Aborts when there is no memory. */
const char *fuzz_file(const uint8_t *data, size_t size);

/*
 * A sparse file from pieces: uint32_t offset in units of FUZZ_PIECE_UNIT bytes, uint32_t length, then so many bytes;
 * the last one may be cut. A length with FUZZ_PIECE_SIZE set has no bytes: the file is as long as `offset` says.
 */
#define FUZZ_PIECE_UNIT 64u
#define FUZZ_PIECE_SIZE UINT32_C(0x80000000)
const char *fuzz_sparse_file(const uint8_t *data, size_t size);

/* Text into memory. `fuzz_output_text` ends it: NUL-terminated, the caller's. */
struct fuzz_output {
    FILE *stream;
    char *bytes;
    size_t count;
};
void fuzz_output_open(struct fuzz_output *output);
char *fuzz_output_text(struct fuzz_output *output);

/*
 * Aborts, and says why, when a terminal would do anything but show text: control characters but for line feeds,
 * invalid UTF-8, characters that change the direction of text or separate lines.
 */
void fuzz_check_text(const char *what, const char *text, size_t bytes);

/* The same, and that it is one value of JSON (RFC 8259). */
void fuzz_check_json(const char *what, const char *text, size_t bytes);

/* Numbers out of a seed. */
struct fuzz_random {
    uint64_t state;
};
uint32_t fuzz_random_below(struct fuzz_random *random, uint32_t limit); /* `limit` above 0 */
uint64_t fuzz_random_number(struct fuzz_random *random);                /* often a small one, or near a power of two */

/* One word of the input of 1, 2, 4 or 8 bytes becomes such a number. */
void fuzz_mutate_word(struct fuzz_random *random, uint8_t *data, size_t size);

#endif
