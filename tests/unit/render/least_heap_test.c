/* The largest of many numbers, against sorting them. */
#include "render/least_heap.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

Test(least_heap, is_the_nth_largest) {
    enum { COUNT = 1000 };
    uint64_t values[COUNT], state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        values[i] = state >> 54; /* many are equal */
    }
    for (size_t most = 1; most <= COUNT; most += 37) {
        struct ts_least_heap heap = {.most = most};
        for (size_t i = 0; i < COUNT; i++) {
            cr_assert_eq(ts_least_heap_limit(&heap) != 0, i >= most && heap.values[0] != 0);
            ts_least_heap_add(&heap, values[i]);
        }
        uint64_t sorted[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            sorted[i] = values[i];
        qsort(sorted, COUNT, sizeof *sorted, compare);
        cr_expect_eq(ts_least_heap_limit(&heap), sorted[most - 1], "the largest %zu", most);
        ts_least_heap_free(&heap);
    }
}

Test(least_heap, fewer_than_wanted_have_no_limit) {
    struct ts_least_heap heap = {.most = 3};
    ts_least_heap_add(&heap, 5);
    cr_expect_eq(ts_least_heap_limit(&heap), 0);
    ts_least_heap_free(&heap);
    ts_least_heap_add(&heap, 5);
    cr_expect_eq(heap.count, 0, "none are kept where none are wanted");
    ts_least_heap_free(&heap);
}
