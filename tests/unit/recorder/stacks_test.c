#include "collector/stacks.h"

#include <criterion/criterion.h>
#include <pthread.h>

static void expect(uint64_t address, uint64_t low, uint64_t bytes) {
    uint64_t found_low = 0, found_bytes = 0;
    cr_assert_eq(ts_stacks_find(address, &found_low, &found_bytes), 0, "%llx", (unsigned long long)address);
    cr_assert_eq(found_low, low);
    cr_assert_eq(found_bytes, bytes);
}

static void expect_none(uint64_t address) {
    uint64_t low, bytes;
    cr_assert_eq(ts_stacks_find(address, &low, &bytes), -1, "%llx", (unsigned long long)address);
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

Test(stacks, a_stack_in_a_freed_ones_place_replaces_it) {
    ts_stacks_note(0x10000, 0x4000);
    ts_stacks_note(0x12000, 0x8000);
    expect(0x12000, 0x12000, 0x8000);
    expect(0x13000, 0x12000, 0x8000);
    expect_none(0x11000);
    ts_stacks_note(0x12000, 0x8000);
    expect(0x13000, 0x12000, 0x8000);
}

Test(stacks, neighbours_are_kept_apart) {
    for (uint64_t i = 0; i < 100; i++)
        ts_stacks_note(0x100000 + 0x1000 * i, 0x1000);
    for (uint64_t i = 0; i < 100; i++)
        expect(0x100fff + 0x1000 * i, 0x100000 + 0x1000 * i, 0x1000);
}

Test(stacks, more_than_one_chunk) {
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
        uint64_t low = (mine << 40) + (i << 20), found_low, found_bytes;
        ts_stacks_note(low, 65536);
        if (ts_stacks_find(low + 100, &found_low, &found_bytes) || found_low != low || found_bytes != 65536)
            return (void *)1;
    }
    return NULL;
}

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
        expect(((i + 1) << 40) + (UINT64_C(1499) << 20), ((i + 1) << 40) + (UINT64_C(1499) << 20), 65536);
}
