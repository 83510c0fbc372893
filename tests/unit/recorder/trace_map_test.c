/* The mapping and how it grows. Cannot find: what RLIMIT_AS does to a program beside it (tests/e2e/033). */
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(trace_map, .fini = scene_end);

static uint8_t *populated_block(uint64_t block) {
    uint8_t *address = ts_trace_map_block(block);
    cr_assert_not_null(address);
    cr_assert_eq(ts_trace_map_populate(address, ts_trace_map.block_bytes), 0);
    return address;
}

static int maps_trace_times(void) {
    char line[1024];
    int times = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        times += strstr(line, ".trace") != NULL;
    fclose(maps);
    return times;
}

/* What the kernel tells of the mapping at `address`. */
struct mapping {
    int asked_for_huge;
    unsigned long resident_kib;
};

static struct mapping mapping_at(const uint8_t *address) {
    char line[1024];
    unsigned long low, high;
    int inside = 0;
    struct mapping mapping = {0, 0};
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &low, &high) == 2)
            inside = (uintptr_t)address >= low && (uintptr_t)address < high;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            mapping.asked_for_huge = strstr(line, " hg") != NULL;
        else if (inside)
            sscanf(line, "Rss: %lu kB", &mapping.resident_kib);
    }
    fclose(maps);
    return mapping;
}

static int asked_for_huge(const uint8_t *address) {
    return mapping_at(address).asked_for_huge;
}

Test(trace_map, grows_without_descriptor_and_path) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    int fd = open(scene_trace(), O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    cr_assert_eq(unlink(scene_trace()), 0);
    uint64_t bytes = ts_trace_map.block_bytes;
    for (uint64_t i = 0; i < ts_trace_map.block_count; i++) { /* in an order that leaves gaps */
        uint64_t block = (i * 37 + 11) % ts_trace_map.block_count;
        if (block < ts_trace_map.first_block)
            continue;
        uint8_t *address = populated_block(block);
        *(uint64_t *)address = block * 1000 + 1;
        *(uint64_t *)(address + bytes - 8) = block * 1000 + 2;
    }
    for (uint64_t block = ts_trace_map.first_block; block < ts_trace_map.block_count; block++) {
        uint64_t first, last;
        cr_assert_eq(pread(fd, &first, 8, (off_t)(block * bytes)), 8);
        cr_assert_eq(pread(fd, &last, 8, (off_t)((block + 1) * bytes - 8)), 8);
        cr_assert_eq(first, block * 1000 + 1, "block %llu lies elsewhere", (unsigned long long)block);
        cr_assert_eq(last, block * 1000 + 2);
        cr_assert_eq(*(uint64_t *)ts_trace_map_block(block), first);
    }
    close(fd);
}

Test(trace_map, steps_double_up_to_their_limit) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    ts_trace_map.step_bytes_max = 8 * ts_trace_map.block_bytes;
    failing_system_arm(1u << FAILING_MAP_AGAIN, 0, 0, 0);
    uint64_t grown[64] = {0};
    for (uint64_t block = ts_trace_map.first_block; block < ts_trace_map.block_count; block++) {
        ts_trace_map_block(block);
        grown[block] = failing_system_count();
    }
    uint64_t first = ts_trace_map.first_block;
    cr_assert_eq(first, 1);
    cr_assert_eq(grown[first], 1, "a small trace maps one block");
    cr_assert_eq(grown[3], 2);
    cr_assert_eq(grown[4], 3);
    cr_assert_eq(grown[7], 3);
    cr_assert_eq(grown[8], 4);
    cr_assert_eq(grown[15], 4);
    cr_assert_eq(grown[16], 5);
    cr_assert_eq(grown[24], 6, "not more than the limit at once");
    cr_assert_eq(grown[63], 3 + 7);
}

Test(trace_map, when_a_step_is_refused_one_block_is_tried) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (uint64_t block = 1; block < 8; block++)
        cr_assert_not_null(ts_trace_map_block(block));
    failing_system_arm(1u << FAILING_MAP_AGAIN, 1, 1, 12);
    cr_assert_not_null(ts_trace_map_block(8));
    cr_assert_eq(failing_system_count(), 2);
    failing_system_arm(1u << FAILING_MAP_AGAIN, 1, UINT64_MAX, 12);
    cr_assert_null(ts_trace_map_block(9));
    failing_system_disarm();
    cr_assert_not_null(ts_trace_map_block(9));
}

Test(trace_map, what_is_forgotten_is_still_there) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint64_t bytes = ts_trace_map.block_bytes;
    uint8_t *address = populated_block(5);
    memset(address, 0x5a, bytes);
    ts_trace_map_forget(address + 100, bytes - 100); /* whole pages inside only */
    for (uint64_t at = 0; at < bytes; at += 512)
        cr_assert_eq(address[at], 0x5a);
}

Test(trace_map, halves_of_a_huge_page_are_forgotten_together) {
    if (sysconf(_SC_PAGESIZE) != 4096)
        cr_skip_test("no huge pages of 2 MiB");
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (uint64_t block = 1; block < 8; block++)
        *populated_block(block) = 0x5a;
    uint64_t kib = 4 * ts_trace_map.block_bytes / 1024;
    cr_assert_eq(mapping_at(ts_trace_map_block(4)).resident_kib, kib);
    ts_trace_map_forget_block(4);
    cr_assert_eq(mapping_at(ts_trace_map_block(4)).resident_kib, kib, "a thread may be writing the other half");
    ts_trace_map_forget_block(5);
    cr_assert_eq(mapping_at(ts_trace_map_block(4)).resident_kib, kib / 2);
    ts_trace_map_forget_block(1); /* not of a huge page */
    for (uint64_t block = 1; block < 8; block++)
        cr_assert_eq(*ts_trace_map_block(block), 0x5a);
    cr_assert_eq(ts_trace_map.header->magic, TS_TRACE_MAGIC);
}

Test(trace_map, populating_takes_whole_pages) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint8_t *address = ts_trace_map_block(2);
    cr_assert_eq(ts_trace_map_populate(address + 5000, 10), 0);
    failing_system_fill_place(0);
    cr_assert_eq(ts_trace_map_populate(address + 4096, 4096), 0, "it has room");
    cr_assert_eq(ts_trace_map_populate(address, 1), -1);
    cr_assert_eq(ts_trace_map_populate(address + 8191, 2), -1);
}

Test(trace_map, populating_is_tried_again_when_interrupted) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint8_t *address = ts_trace_map_block(2);
    failing_system_arm(1u << FAILING_MADVISE, 1, 5, 4 /* EINTR */);
    cr_assert_eq(ts_trace_map_populate(address, 4096), 0);
    cr_assert_eq(failing_system_count(), 6);
    failing_system_arm(1u << FAILING_MADVISE, 1, UINT64_MAX, 11 /* EAGAIN */);
    cr_assert_eq(ts_trace_map_populate(address, 4096), -1, "not for ever");
}

Test(trace_map, before_fork_maps_what_children_claim_from) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    ts_trace_map_before_fork(); /* nothing recorded yet: nothing to map */
    cr_assert_null(ts_trace_map.blocks[ts_trace_map.first_block]);
    struct ts_window window;
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), 0);
    ts_trace_map.header->small_claim = 9 * ts_trace_map.block_bytes + TS_WINDOW_SMALL;
    ts_trace_map_before_fork();
    cr_assert_not_null(ts_trace_map.blocks[9]);
}

Test(trace_map, what_is_behind_the_first_windows_lies_in_huge_pages) {
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) || sysconf(_SC_PAGESIZE) != 4096)
        cr_skip_test("no huge pages of 2 MiB");
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (uint64_t block = 1; block < 4; block++)
        cr_assert_not(asked_for_huge(populated_block(block)), "a small trace would take 2 MiB");
    for (uint64_t block = 4; block < 9; block++)
        cr_assert(asked_for_huge(populated_block(block)), "block %llu", (unsigned long long)block);
}

Test(trace_map, blocks_of_a_small_trace_ask_for_no_huge_pages) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_STOP);
    cr_assert_not(asked_for_huge(populated_block(60)));
}

Test(trace_map, where_there_are_no_huge_pages_whole_blocks_are_read_ahead) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    failing_system_arm(1u << FAILING_MADVISE, 2, 2, 22 /* EINVAL: the advice for huge pages */);
    uint8_t *address = ts_trace_map_block(4);
    uint64_t before = failing_system_count();
    cr_assert_eq(ts_trace_map_populate(address, ts_trace_map.block_bytes), 0);
    cr_assert_eq(failing_system_count(), before + 2, "one more advice");
}

static void *map_all(void *context) {
    uint8_t **blocks = context;
    for (uint64_t i = 0; i < ts_trace_map.block_count; i++) {
        uint64_t block = (i * 29 + (uint64_t)(uintptr_t)context / 64) % ts_trace_map.block_count;
        if (block >= ts_trace_map.first_block)
            blocks[block] = ts_trace_map_block(block);
    }
    return NULL;
}

Test(trace_map, threads_at_once_get_the_same_blocks) {
    static uint8_t *blocks[4][64];
    pthread_t threads[4];
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_STOP);
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, map_all, blocks[i]), 0);
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    for (uint64_t block = ts_trace_map.first_block; block < ts_trace_map.block_count; block++) {
        cr_assert_not_null(blocks[0][block]);
        for (unsigned i = 1; i < 4; i++)
            cr_assert_eq(blocks[i][block], blocks[0][block]);
        *(uint64_t *)populated_block(block) = block;
    }
    for (uint64_t block = ts_trace_map.first_block; block < ts_trace_map.block_count; block++)
        cr_assert_eq(*(uint64_t *)blocks[0][block], block, "two blocks share their memory");
    cr_assert_leq(maps_trace_times(), 64 + 1, "mappings that lost the race are still there");
}
