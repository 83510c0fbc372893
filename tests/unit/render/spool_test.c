/* Texts that grow side by side come out whole. Cannot find: a disk that is full. */
#include "render/spool.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 3, PARTS = 500 };

struct taken {
    char *text;
    size_t count;
};

static void take(void *context, const char *bytes, size_t count) {
    struct taken *taken = context;
    taken->text = realloc(taken->text, taken->count + count + 1);
    memcpy(taken->text + taken->count, bytes, count);
    taken->text[taken->count += count] = '\0';
}

Test(spool, texts_side_by_side) {
    struct ts_spool spool = {0};
    struct ts_spool_text texts[TEXTS] = {{0}};
    char *wanted[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        wanted[i] = calloc(PARTS, 64);
    for (int part = 0; part < PARTS; part++) {
        int i = part * part % TEXTS;
        char bytes[64];
        size_t count = (size_t)snprintf(bytes, sizeof bytes, "%d of %d;%.*s", part, i, part % 30,
                                        "------------------------------");
        ts_spool_add(&spool, &texts[i], bytes, count);
        strcat(wanted[i], bytes);
    }
    for (int i = 0; i < TEXTS; i++) {
        struct taken taken = {NULL, 0};
        ts_spool_read(&spool, &texts[i], take, &taken);
        cr_expect_str_eq(taken.text ? taken.text : "", wanted[i]);
        free(taken.text);
        free(wanted[i]);
    }
    cr_expect_eq(spool.failed, 0);
    ts_spool_free(&spool);
}

Test(spool, a_long_text) {
    struct ts_spool spool = {0};
    struct ts_spool_text text = {0}, empty = {0};
    size_t count = 100000;
    char *bytes = malloc(count);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (char)('a' + i % 26);
    struct taken taken = {NULL, 0}, nothing = {NULL, 0};
    ts_spool_add(&spool, &text, bytes, count);
    ts_spool_read(&spool, &text, take, &taken);
    cr_assert_eq(taken.count, count);
    cr_expect_arr_eq(taken.text, bytes, count);
    ts_spool_read(&spool, &empty, take, &nothing);
    cr_expect_eq(nothing.count, 0);
    free(taken.text);
    free(bytes);
    ts_spool_free(&spool);
}

Test(spool, a_place_that_takes_no_file_is_told) {
    struct ts_spool spool = {0};
    struct ts_spool_text text = {0};
    setenv("TMPDIR", "/nowhere", 1);
    ts_spool_add(&spool, &text, "x", 1);
    cr_expect_neq(spool.failed, 0);
    ts_spool_add(&spool, &text, "x", 1);
    ts_spool_free(&spool);
}
