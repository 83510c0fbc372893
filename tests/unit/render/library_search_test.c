/*
 * Where libraries are found, in directories of the test and in caches written here; and in the machine's own cache.
 * Cannot find: a loader whose built-in directories are others.
 */
#include "render/library_search.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *directory;

static void set_up(void) {
    directory = compiled_directory();
    compiled_run(directory,
                 "mkdir \"$D/a\" \"$D/b\"; for d in a b; do echo | gcc -x c - -shared -nostdlib -Wl,-soname,$d "
                 "-o \"$D/$d/libthing.so\"; done; cp \"$D/a/libthing.so\" \"$D/program\"");
}

static void tear_down(void) {
    compiled_remove(directory);
}

TestSuite(library_search, .init = set_up, .fini = tear_down, .timeout = 60);

/* Paths with `%` in place of the directory; the caller frees it. */
static char *here(const char *text) {
    char *path = NULL;
    size_t bytes;
    FILE *out = open_memstream(&path, &bytes);
    for (; text && *text; text++)
        *text == '%' ? fputs(directory, out) : fputc(*text, out);
    fclose(out);
    return path;
}

/* The DT_SONAME of what is found for a program with these; NULL: nothing. */
static void expect_found(const char *rpath, const char *runpath, const char *library_path, const char *name,
                         const char *soname) {
    char *paths[] = {here(rpath), here(runpath), here(library_path), here("%/program"), here(name)};
    struct ts_error error;
    struct ts_elf_file *program = ts_elf_file_open(paths[3], &error);
    cr_assert(program != NULL, "%s", error.text);
    program->rpath = rpath ? paths[0] : NULL;
    program->runpath = runpath ? paths[1] : NULL;
    struct ts_library_search search = {.machine = program->machine, .library_path = library_path ? paths[2] : NULL};
    struct ts_library_asker asker = {program, NULL};
    struct ts_elf_file *found = ts_library_search_find(&search, &asker, paths[4]);
    cr_expect_eq(found != NULL, soname != NULL, "%s", name);
    if (found && soname)
        cr_expect_str_eq(found->soname, soname);
    ts_elf_file_close(found);
    ts_elf_file_close(program);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        free(paths[i]);
}

Test(library_search, places_in_the_loaders_order) {
    expect_found(NULL, NULL, NULL, "libthing.so", NULL);
    expect_found("%/a", NULL, "%/b", "libthing.so", "a");
    expect_found(NULL, "%/a", "%/b", "libthing.so", "b");
    expect_found("%/b", "%/a", NULL, "libthing.so", "a");
    expect_found("%/b", "%/nowhere", NULL, "libthing.so", NULL);
    expect_found("%/nowhere::%/b:%/a", NULL, NULL, "libthing.so", "b");
    expect_found(NULL, NULL, "%/nowhere;%/a:%/b", "libthing.so", "a");
    expect_found("$ORIGIN/a", NULL, NULL, "libthing.so", "a");
    expect_found(NULL, "%/nowhere:${ORIGIN}/b", NULL, "libthing.so", "b");
    expect_found("$ORIGINAL/a", NULL, NULL, "libthing.so", NULL);
    expect_found("%/$", NULL, NULL, "libthing.so", NULL);
    expect_found(NULL, NULL, NULL, "%/b/libthing.so", "b");
    expect_found(NULL, NULL, NULL, "$ORIGIN/a/libthing.so", "a");
    expect_found(NULL, NULL, NULL, "%/libthing.so", NULL);
}

Test(library_search, the_rpath_of_who_asked_before_counts_too) {
    char *path = here("%/program"), *places = here("%/a");
    struct ts_error error;
    struct ts_elf_file *program = ts_elf_file_open(path, &error), *library = ts_elf_file_open(path, &error);
    cr_assert(program && library);
    program->rpath = places;
    struct ts_library_search search = {.machine = program->machine};
    struct ts_library_asker first = {program, NULL}, second = {library, &first};
    struct ts_elf_file *found = ts_library_search_find(&search, &second, "libthing.so");
    cr_expect(found != NULL);
    ts_elf_file_close(found);
    program->runpath = "/nowhere";
    cr_expect_null(ts_library_search_find(&search, &second, "libthing.so"));
    program->runpath = NULL;
    library->runpath = "/nowhere";
    cr_expect_null(ts_library_search_find(&search, &second, "libthing.so"));
    ts_elf_file_close(program);
    ts_elf_file_close(library);
    free(path);
    free(places);
}

Test(library_search, what_does_not_fit_is_passed_over) {
    compiled_run(directory, "echo text >\"$D/a/libthing.so\"");
    expect_found(NULL, NULL, "%/a:%/b", "libthing.so", "b");
    compiled_run(directory,
                 "cp \"$D/b/libthing.so\" \"$D/a/libthing.so\"; printf '\\1' | dd of=\"$D/a/libthing.so\" bs=1 seek=4 "
                 "conv=notrunc status=none"); /* 32 bits */
    expect_found(NULL, NULL, "%/a:%/b", "libthing.so", "b");
    compiled_run(
        directory,
        "cp \"$D/b/libthing.so\" \"$D/a/libthing.so\"; case $(uname -m) in x86_64) m='\\267';; *) m='\\76';; esac; "
        "printf $m | dd of=\"$D/a/libthing.so\" bs=1 seek=18 conv=notrunc status=none"); /* the other machine */
    expect_found(NULL, NULL, "%/a:%/b", "libthing.so", "b");
}

/* A cache as ldconfig writes it: an old header of `old` entries or none (-1), then one entry a pair. */
static size_t write_cache(uint8_t *to, int old, const char *const *pairs, uint32_t count) {
    size_t start = 0;
    memset(to, 0, 4096);
    if (old >= 0) {
        memcpy(to, "ld.so-1.7.0", 11);
        memcpy(to + 12, &old, 4);
        start = (16 + 12 * (size_t)old + 7) / 8 * 8;
    }
    memcpy(to + start, "glibc-ld.so.cache1.1", 20);
    memcpy(to + start + 20, &count, 4);
    size_t text = start + 48 + 24 * (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *entry = to + start + 48 + 24 * (size_t)i;
        for (int k = 0; k < 2; k++) {
            uint32_t offset = (uint32_t)(text - start);
            memcpy(entry + 4 + 4 * k, &offset, 4);
            strcpy((char *)to + text, pairs[2 * i + k]);
            text += strlen(pairs[2 * i + k]) + 1;
        }
        entry[23] = !strcmp(pairs[2 * i + 1], "/special") ? 0x40 : 0; /* a variant for certain processors */
    }
    return text;
}

Test(library_search, a_cache) {
    static const char *const pairs[] = {"liba.so.1", "/one", "libb.so.1", "/special",
                                        "libb.so.1", "/two", "libb.so.1", "/three"};
    const char *path = compiled_path(directory, "cache");
    uint8_t bytes[4096];
    for (int old = -1; old < 4; old++) {
        struct ts_library_cache cache;
        uint32_t at = 0;
        size_t size = write_cache(bytes, old, pairs, 4);
        compiled_write(path, bytes, size);
        ts_library_cache_open(&cache, path);
        cr_expect_eq(cache.count, 4);
        cr_expect_str_eq(ts_library_cache_next(&cache, "libb.so.1", &at), "/two");
        cr_expect_str_eq(ts_library_cache_next(&cache, "libb.so.1", &at), "/three");
        cr_expect_null(ts_library_cache_next(&cache, "libb.so.1", &at));
        at = 0;
        cr_expect_null(ts_library_cache_next(&cache, "libb.so", &at));
        ts_library_cache_close(&cache);
    }
}

Test(library_search, damaged_caches) {
    static const char *const pairs[] = {"liba.so.1", "/one", "libb.so.1", "/two"};
    const char *path = compiled_path(directory, "cache");
    uint8_t good[4096], bytes[4096];
    size_t size = write_cache(good, 1, pairs, 2);
    for (size_t i = 0; i < size * 3; i++) {
        struct ts_library_cache cache;
        uint32_t at = 0;
        memcpy(bytes, good, sizeof bytes);
        memset(bytes + i / 3, i % 3 ? 0xff : 0, i % 3 == 2 ? 4 : 1);
        compiled_write(path, bytes, i % 5 ? size : i / 3);
        ts_library_cache_open(&cache, path);
        for (int k = 0; k < 10; k++)
            if (ts_library_cache_next(&cache, "libb.so.1", &at))
                cr_expect_leq(at, cache.count);
        ts_library_cache_close(&cache);
    }
    struct ts_library_cache cache;
    uint32_t at = 0;
    ts_library_cache_open(&cache, directory);
    cr_expect_null(ts_library_cache_next(&cache, "libb.so.1", &at));
    ts_library_cache_close(&cache);
}

Test(library_search, the_cache_of_this_machine) {
    struct ts_library_cache cache;
    uint32_t at = 0;
    ts_library_cache_open(&cache, "/etc/ld.so.cache");
    if (!cache.count)
        cr_skip_test("no cache of glibc's format");
    const char *path = ts_library_cache_next(&cache, "libc.so.6", &at);
    cr_expect(path && strstr(path, "/libc.so.6"), "%s", path ? path : "none");
    ts_library_cache_close(&cache);
}
