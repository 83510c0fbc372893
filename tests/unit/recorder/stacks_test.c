/* Stacks by address. Cannot find: two threads that note stacks which overlap at the same moment. */
#include "collector/stacks.h"
#include "collector/system.h"

#include <criterion/criterion.h>
#include <pthread.h>

static struct ts_stack expect(uint64_t address, uint64_t low, uint64_t bytes) {
    struct ts_stack found = {0};
    cr_assert_eq(ts_stacks_find(address, &found), 0, "%llx", (unsigned long long)address);
    cr_assert_eq(found.low, low, "%llx", (unsigned long long)found.low);
    cr_assert_eq(found.bytes, bytes, "%llx", (unsigned long long)found.bytes);
    return found;
}

static void expect_none(uint64_t address) {
    struct ts_stack found;
    cr_assert_eq(ts_stacks_find(address, &found), -1, "%llx", (unsigned long long)address);
}

Test(stacks, found_by_any_address_inside) {
    expect_none(0);
    expect_none(0x10000);
    ts_stacks_note(0x10000, 0x4000);
    ts_stacks_note(0x20000, 0x1000);
    expect(0x10000, 0x10000, 0x4000);
    expect(0x13fff, 0x10000, 0x4000);
    expect(0x20800, 0x20000, 0x1000);
    expect_none(0xffff);
    expect_none(0x14000);
    expect_none(0x21000);
    expect_none(0);
}

/* malloc's pieces: each ends and begins in the middle of a page. */
Test(stacks, neighbours_may_share_a_page) {
    enum { STACKS = 200, BYTES = 0x2710 };
    for (uint64_t i = 0; i < STACKS; i++)
        ts_stacks_note(0x100010 + BYTES * i, BYTES - 16);
    for (uint64_t i = 0; i < STACKS; i++) {
        uint64_t low = 0x100010 + BYTES * i;
        for (uint64_t inside = 0; inside < BYTES - 16; inside += 16)
            expect(low + inside, low, BYTES - 16);
        expect_none(low - 1);
        expect_none(low + BYTES - 16);
    }
}

Test(stacks, a_stack_in_a_freed_ones_place_replaces_it) {
    ts_stacks_note(0x10000, 0x4000);
    ts_stacks_note(0x12000, 0x8000);
    expect(0x12000, 0x12000, 0x8000);
    expect(0x13000, 0x12000, 0x8000);
    expect_none(0x11000);
    ts_stacks_note(0x12000, 0x8000);
    expect(0x13000, 0x12000, 0x8000);
}

/* They overlap by less than a page, at either end. */
Test(stacks, so_it_does_where_they_overlap_by_a_few_bytes) {
    ts_stacks_note(0x10010, 0x4000);
    ts_stacks_note(0x14000, 0x4000);
    expect_none(0x12000);
    expect(0x14000, 0x14000, 0x4000);
    ts_stacks_note(0x17ff0, 0x4000);
    expect_none(0x15000);
    ts_stacks_note(0x14000, 0x4010);
    expect_none(0x19000);
    expect(0x17ff8, 0x14000, 0x4010);
}

Test(stacks, a_smaller_one_in_a_freed_ones_place) {
    ts_stacks_note(0x100000, 0x100000);
    ts_stacks_note(0x180000, 0x80000);
    expect(0x1fffff, 0x180000, 0x80000);
    expect_none(0x17ffff);
}

/* A coroutine whose frame holds the stack of another. */
Test(stacks, an_array_inside_a_stack) {
    ts_stacks_note(0x100000, 0x100000);
    ts_stacks_note(0x180010, 0x10000);
    expect(0x180010, 0x180010, 0x10000);
    expect(0x19000f, 0x180010, 0x10000);
    expect(0x18000f, 0x100000, 0x100000);
    expect(0x190010, 0x100000, 0x100000);
    ts_stacks_note(0x100000, 0x100000); /* a new context on the outer one: the array is gone */
    expect(0x188000, 0x100000, 0x100000);
}

Test(stacks, a_new_context_on_the_same_stack_has_another_stamp) {
    ts_stacks_note(0x10000, 0x4000);
    uint64_t first = expect(0x11000, 0x10000, 0x4000).stamp, newest = ts_stacks_newest();
    cr_assert_leq(first, newest);
    ts_stacks_note(0x10000, 0x4000);
    uint64_t second = expect(0x11000, 0x10000, 0x4000).stamp;
    cr_assert_gt(second, newest);
    cr_assert_eq(second & TS_STACK_GUESSED, 0);
}

Test(stacks, a_guessed_stack_grows_downwards_and_stays_the_same) {
    struct ts_stack guessed;
    cr_assert_eq(ts_stacks_guess(0x17000, 0x1000, &guessed), 0);
    cr_assert_neq(guessed.stamp & TS_STACK_GUESSED, 0);
    expect_none(0x16fff);
    uint64_t stamp = guessed.stamp;
    ts_stacks_extend(&guessed, 0x15000);
    cr_assert_eq(expect(0x15000, 0x15000, 0x3000).stamp, stamp);
    cr_assert_eq(expect(0x17fff, 0x15000, 0x3000).stamp, stamp);
    ts_stacks_note(0x16000, 0x8000);
    expect_none(0x15000);
}

/* What a hostile ucontext_t may hold. */
Test(stacks, sizes_and_addresses_that_cannot_be) {
    ts_stacks_note(0, 0);
    ts_stacks_note(0x10000, 0);
    ts_stacks_note(0x10000, 100);
    ts_stacks_note(UINT64_MAX - 0x10000, 0x20000);
    ts_stacks_note(0x7fff00000000, UINT64_MAX / 2);
    ts_stacks_note(UINT64_C(1) << 60, 0x10000);
    ts_stacks_note((UINT64_C(1) << 48) - 0x10000, 0x10000);
    expect_none(0x10000);
    expect_none(UINT64_MAX);
    expect_none(UINT64_C(1) << 60);
    ts_stacks_note(0x7f0000000000, UINT64_C(8) << 30); /* of this one, the top is known */
    expect(0x7f0000000000 + (UINT64_C(8) << 30) - 1, 0x7f0000000000 + (UINT64_C(7) << 30), UINT64_C(1) << 30);
}

Test(stacks, no_system_call_where_none_may_be_made) {
    ts_system_forbidden = 1;
    ts_stacks_note(0x10000, 0x4000);
    ts_system_forbidden = 0;
    expect_none(0x11000);
}

Test(stacks, many) {
    enum { STACKS = 9000 };
    for (uint64_t i = 1; i <= STACKS; i++)
        ts_stacks_note(i << 20, 4096 + i);
    for (uint64_t i = 1; i <= STACKS; i += 7) {
        expect((i << 20) + 4095 + i, i << 20, 4096 + i);
        expect_none((i << 20) + 4096 + i);
    }
}

static void *note_many(void *context) {
    uint64_t mine = (uint64_t)context;
    for (uint64_t i = 0; i < 1500; i++) {
        uint64_t low = (mine << 16) + (i << 20);
        struct ts_stack found;
        ts_stacks_note(low, 65536);
        if (ts_stacks_find(low + 100, &found) || found.low != low || found.bytes != 65536)
            return (void *)1;
    }
    return NULL;
}

/* Side by side, so that they fill the same pages of the table. */
Test(stacks, threads_at_once) {
    pthread_t threads[4];
    for (uint64_t i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, note_many, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *result;
        cr_assert_eq(pthread_join(threads[i], &result), 0);
        cr_assert_null(result, "a thread does not find the stack that it noted");
    }
    for (uint64_t i = 0; i < 4; i++)
        expect(((i + 1) << 16) + (UINT64_C(1499) << 20), ((i + 1) << 16) + (UINT64_C(1499) << 20), 65536);
}
