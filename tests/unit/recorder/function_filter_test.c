/*
 * Which functions TRACE_FUNCTIONS wants, by lists that are made here. Cannot find: what lists the renderer makes
 * (tests/unit/render/function_list_test.c) and how they come here (function_list_test.c).
 */
#include "preload/function_filter.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define BIAS UINT64_C(0x7f0000000000)
/* Bits are shared every 16 MiB: modules that lie so far apart share all of theirs. */
#define ONE_ROUND (16 * (uint64_t)TS_FUNCTION_FILTER_BITS)
#define PAGES 0x10000

#define WANTED(address) ((uint64_t)(address) << 1 | 1)
#define OTHER(address) ((uint64_t)(address) << 1)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct ts_function_list *list_of(const uint64_t *functions, size_t count) {
    struct ts_function_list *list = calloc(1, sizeof *list + count * sizeof *functions);
    list->count = count;
    for (size_t i = 0; i < count; i++)
        list->functions[i] = functions[i];
    return list;
}

/* A module that lies `distance` above BIAS. */
static void add(const uint64_t *functions, size_t count, uint64_t distance, int other) {
    uint64_t low = BIAS + distance;
    ts_function_filter_add(functions ? list_of(functions, count) : NULL, low, low, low + PAGES, other);
}

static int wants(uint64_t address) {
    return ts_function_filter_wants(BIAS + address);
}

Test(function_filter, unset_means_all) {
    ts_function_filter_begin(NULL, 5);
    cr_assert_eq(ts_function_filter_is_on(), 0);
    cr_assert(wants(0x1000) && wants(0x123450));
}

static const uint64_t some[] = {OTHER(0x1000), WANTED(0x1100), WANTED(0x1200), OTHER(0x1300)};

Test(function_filter, listed_functions_only) {
    ts_function_filter_begin("parse_*", 5);
    cr_assert_eq(ts_function_filter_is_on(), 1);
    add(some, COUNT(some), 0, 0);
    cr_assert(wants(0x1100) && wants(0x1200));
    cr_assert(!wants(0x1000) && !wants(0x1300) && !wants(0x1400) && !wants(0));
}

Test(function_filter, what_is_not_listed_where_something_is_excluded) {
    ts_function_filter_begin("-skip", 5);
    add(some, COUNT(some), 0, 1);
    cr_assert(wants(0x1100) && wants(0x1200) && wants(0x1400) && wants(0) && wants(PAGES - 16));
    cr_assert(!wants(0x1000) && !wants(0x1300), "they are listed");
    cr_assert(!wants(PAGES), "it is no code of the module");
}

Test(function_filter, functions_that_share_a_bit_are_told_apart) {
    static const uint64_t close_by[] = {WANTED(0x2000), OTHER(0x2004),  WANTED(0x2008),
                                        OTHER(0x200c),  WANTED(0x2010), WANTED(0x2014)};
    static const uint64_t far[] = {OTHER(0x2000)};
    ts_function_filter_begin("want_*", 5);
    add(close_by, COUNT(close_by), 0, 0);
    add(far, 1, ONE_ROUND, 0);
    cr_assert(wants(0x2000) && wants(0x2008) && wants(0x2010) && wants(0x2014));
    cr_assert(!wants(0x2004) && !wants(0x200c) && !wants(0x2000 + ONE_ROUND));
    cr_assert_eq(ts_function_filter_listed(BIAS + 0x2000), 1);
}

Test(function_filter, many_shared_bits) {
    enum { FUNCTIONS = 2000 };
    static uint64_t functions[FUNCTIONS];
    for (unsigned i = 0; i < FUNCTIONS; i++)
        functions[i] = (0x3000 + 8 * (uint64_t)i) << 1 | (i % 2);
    ts_function_filter_begin("a*", 5);
    add(functions, FUNCTIONS, 0, 0);
    for (unsigned i = 0; i < FUNCTIONS; i += 2) {
        cr_assert(!wants(0x3000 + 8 * (uint64_t)i), "b%u", i);
        cr_assert(wants(0x3000 + 8 * (uint64_t)(i + 1)), "a%u", i + 1);
    }
}

static const uint64_t wanted[] = {WANTED(0x4000)}, other[] = {OTHER(0x4000)};

Test(function_filter, a_wanted_function_stays_so_when_another_module_comes) {
    ts_function_filter_begin("want", 5);
    add(wanted, 1, 0, 0);
    add(other, 1, ONE_ROUND, 0);
    cr_assert(!wants(0x4000 + ONE_ROUND), "it is not selected");
    cr_assert(wants(0x4000), "it was wanted before that module came");
}

Test(function_filter, an_unwanted_function_stays_so_when_another_module_comes) {
    ts_function_filter_begin("want", 5);
    add(other, 1, 0, 0);
    add(wanted, 1, ONE_ROUND, 0);
    cr_assert(wants(0x4000 + ONE_ROUND));
    cr_assert(!wants(0x4000), "it was not wanted before that module came");
}

Test(function_filter, what_is_not_listed_stays_so_when_another_module_comes) {
    ts_function_filter_begin("-skip", 5);
    add(other, 1, 0, 1);
    add(wanted, 1, ONE_ROUND, 1);
    add(other, 1, 2 * ONE_ROUND, 1);
    add(some, COUNT(some), 3 * ONE_ROUND, 1);
    cr_assert(!wants(0x4000) && wants(0x4000 + ONE_ROUND) && !wants(0x4000 + 2 * ONE_ROUND));
    cr_assert(wants(0x4000 + 3 * ONE_ROUND), "it is not listed");
    cr_assert(wants(0x1000) && wants(0x1000 + ONE_ROUND), "they are not listed there");
    cr_assert(!wants(0x1000 + 3 * ONE_ROUND));
}

Test(function_filter, a_module_without_an_answer_is_wanted_whole) {
    ts_function_filter_begin("main", 5);
    add(other, 1, 0, 0);
    add(NULL, 0, ONE_ROUND, 0);
    add(other, 1, 2 * ONE_ROUND, 0);
    for (uint64_t at = 0; at < PAGES; at += 16)
        cr_assert(wants(ONE_ROUND + at));
    cr_assert(!wants(0x4000) && !wants(0x4000 + 2 * ONE_ROUND));
}

Test(function_filter, a_module_without_names_is_wanted_as_unknown_names_are) {
    ts_function_filter_begin("main", 5);
    add(other, 0, 0, 0);
    cr_assert(!wants(0x4000) && !wants(0x1000));
    add(other, 0, ONE_ROUND, 1);
    cr_assert(wants(0x4000 + ONE_ROUND));
}

Test(function_filter, another_module_at_the_same_place) {
    static const uint64_t first[] = {WANTED(0x4000), OTHER(0x4008)}, second[] = {OTHER(0x4000), WANTED(0x4008)};
    ts_function_filter_begin("want", 5);
    for (unsigned i = 0; i < 3; i++) {
        add(first, COUNT(first), 0, 0);
        cr_assert(wants(0x4000) && !wants(0x4008));
        add(second, COUNT(second), 0x1000, 0); /* its code begins in the middle of the other's */
        cr_assert(!wants(0x5000) && wants(0x5008));
        cr_assert(!wants(0x4000), "that module is gone");
    }
}
