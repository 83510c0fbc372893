/* Texts kept once, and no more than the bound. */
#include "render/text_pool.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(text_pool, equal_texts_are_one_and_stay) {
    struct ts_text_pool pool = {.most_bytes = 1 << 20};
    char text[32];
    const char *first = ts_text_pool_add(&pool, "/etc/passwd");
    strcpy(text, "/etc/passwd");
    cr_expect_eq(ts_text_pool_add(&pool, text), first);
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "/tmp/%d", i);
        cr_assert_str_eq(ts_text_pool_add(&pool, text), text);
    }
    cr_expect_str_eq(first, "/etc/passwd");
    cr_expect_eq(ts_text_pool_add(&pool, "/etc/passwd"), first);
    cr_expect_str_eq(ts_text_pool_add(&pool, ""), "");
    ts_text_pool_free(&pool);
}

Test(text_pool, the_bound_holds_and_known_texts_are_still_found) {
    struct ts_text_pool pool = {.most_bytes = 10000};
    char text[32];
    size_t kept = 0;
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "text number %d", i);
        kept += ts_text_pool_add(&pool, text) != NULL;
    }
    cr_expect_gt(kept, 50);
    cr_expect_lt(kept, 200);
    cr_expect_leq(pool.used_bytes, 10000);
    cr_expect_not_null(ts_text_pool_add(&pool, "text number 0"));
    ts_text_pool_free(&pool);
}

Test(text_pool, a_text_longer_than_a_chunk) {
    struct ts_text_pool pool = {.most_bytes = 1 << 20};
    char *text = calloc(200001, 1);
    memset(text, 'a', 200000);
    const char *kept = ts_text_pool_add(&pool, text);
    const char *other = ts_text_pool_add(&pool, "b");
    cr_expect_str_eq(kept, text);
    cr_expect_str_eq(other, "b");
    free(text);
    ts_text_pool_free(&pool);
}
