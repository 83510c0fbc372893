/* Claims, rests and closing of windows. Cannot find: what a kernel without MADV_POPULATE_WRITE does. */
#include "collector/process.h"
#include "collector/trace_map.h"
#include "collector/window.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

TestSuite(window, .fini = scene_end);

#define CLAIMERS 4
#define MOST 4096

struct claimer {
    pthread_t thread;
    unsigned seed;
    struct ts_window windows[MOST];
    unsigned count;
    unsigned dirty; /* windows that were not zero when they were claimed */
    int reason;
};

static int is_zero(const uint8_t *bytes, uint64_t count) {
    for (uint64_t i = 0; i + 8 <= count; i += 64)
        if (*(const uint64_t *)(bytes + i))
            return 0;
    return 1;
}

static void *claim_until_full(void *context) {
    static const uint32_t sizes[] = {TS_WINDOW_SMALL, TS_WINDOW_MIDDLE, 1u << 20};
    struct claimer *claimer = context;
    unsigned size = claimer->seed, full = 0;
    while (full < 3 && claimer->count < MOST) {
        struct ts_window *window = &claimer->windows[claimer->count];
        size = size * 1103515245u + 12345;
        int reason = ts_window_claim(window, sizes[full ? 0 : size >> 16 & 3 ? size >> 18 & 1 : 2], 0);
        if (reason) {
            claimer->reason = reason;
            full++;
            continue;
        }
        claimer->count++;
        struct ts_window_header *header = window->header;
        claimer->dirty += !is_zero((uint8_t *)(header + 1), window->bytes - sizeof *header) || header->sequence;
        header->thread = claimer->seed;
        header->records = sizeof *header;
        for (uint64_t at = sizeof *header; at < window->bytes; at += 512)
            *(uint32_t *)((uint8_t *)header + at) = TS_HEAD(TS_RECORD_METADATA, 1);
        ts_window_publish(window);
    }
    return NULL;
}

static int by_offset(const void *a, const void *b) {
    uint64_t one = ((const struct ts_window *)a)->offset, other = ((const struct ts_window *)b)->offset;
    return one < other ? -1 : one > other;
}

Test(window, threads_that_claim_at_once_never_share_a_byte) {
    static struct claimer claimers[CLAIMERS];
    static struct ts_window all[CLAIMERS * MOST];
    unsigned count = 0;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (unsigned i = 0; i < CLAIMERS; i++) {
        claimers[i].seed = i + 1;
        cr_assert_eq(pthread_create(&claimers[i].thread, NULL, claim_until_full, &claimers[i]), 0);
    }
    for (unsigned i = 0; i < CLAIMERS; i++) {
        cr_assert_eq(pthread_join(claimers[i].thread, NULL), 0);
        cr_assert_eq(claimers[i].reason, TS_LOST_FULL + 1);
        cr_assert_eq(claimers[i].dirty, 0);
        for (unsigned at = 0; at < claimers[i].count; at++)
            all[count++] = claimers[i].windows[at];
    }
    qsort(all, count, sizeof *all, by_offset);

    const struct ts_file_header *file = ts_trace_map.header;
    uint64_t block = file->block_bytes, end = file->first_block * block, claimed = 0;
    static uint32_t writers[64];
    for (unsigned i = 0; i < count; i++) {
        cr_assert_geq(all[i].offset, end, "two windows overlap at %llx", (unsigned long long)all[i].offset);
        end = all[i].offset + all[i].bytes;
        cr_assert_leq(all[i].offset % block + all[i].bytes, block);
        cr_assert_eq(all[i].offset % TS_WINDOW_ALIGN, 0);
        claimed += all[i].bytes;
        writers[all[i].offset / block]++;
        cr_assert_eq(all[i].header->magic, TS_WINDOW_MAGIC);
        cr_assert_eq(all[i].header->offset, all[i].offset);
        cr_assert_eq(all[i].header->bytes, all[i].bytes);
    }
    cr_assert_leq(end, file->file_bytes);
    cr_assert_geq(claimed, (file->block_count - file->first_block) * block * 9 / 10, "much of the file is not used");
    for (uint64_t i = file->first_block; i < file->block_count; i++)
        cr_assert_eq(ts_trace_map.block_table[i], writers[i], "block %llu counts %u writers, %u claimed",
                     (unsigned long long)i, ts_trace_map.block_table[i], writers[i]);

    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading->window_count, count, "the file shows %zu windows of %u", reading->window_count, count);
    reading_close(reading);
    for (unsigned i = 0; i < count; i++)
        ts_window_close(&all[i], all[i].bytes, 1, 0);
    for (uint64_t i = file->first_block; i < file->block_count; i++)
        cr_assert_eq(ts_trace_map.block_table[i], 0);
}

Test(window, sequences_are_given_once_and_grow) {
    struct ts_window one, other;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    cr_assert_eq(ts_window_claim(&one, TS_WINDOW_SMALL, 0), 0);
    cr_assert_eq(ts_window_claim(&other, TS_WINDOW_SMALL, 0), 0);
    cr_assert_eq(one.header->sequence, 0, "a window is visible before it is published");
    cr_assert_eq(ts_window_publish(&other), 1);
    cr_assert_eq(ts_window_publish(&one), 2);
    cr_assert_eq(one.header->sequence, 2);
    cr_assert_eq(ts_trace_map.header->window_sequence, 2);
}

Test(window, rest_of_an_ended_thread_serves_the_next) {
    struct ts_window first, rest;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    cr_assert_eq(ts_window_claim(&first, TS_WINDOW_SMALL, 0), 0);
    uint64_t block = first.offset / ts_trace_map.block_bytes;
    ts_window_publish(&first);
    ts_window_close(&first, 2001, 77, 1);
    cr_assert_eq(first.header->end_bytes, 2001);
    cr_assert_eq(first.header->end_clock, 77);
    cr_assert_eq(first.header->bytes, 2048, "the window ends where its rest begins");
    cr_assert(first.header->flags & TS_WINDOW_CLOSED);
    cr_assert_eq(ts_trace_map.block_table[block], 1, "the rest counts as written");

    cr_assert_eq(ts_window_claim(&rest, TS_WINDOW_MIDDLE, 0), 0);
    cr_assert_geq(rest.offset, first.offset + TS_WINDOW_SMALL, "a rest is no window of middle size");
    ts_window_close(&rest, 4096, 78, 0);
    cr_assert_eq(ts_window_claim(&rest, TS_WINDOW_SMALL, 1), 0);
    cr_assert_neq(rest.offset / ts_trace_map.block_bytes, block, "control windows have blocks of their own");

    cr_assert_eq(ts_window_claim(&rest, TS_WINDOW_SMALL, 0), 0);
    cr_assert_eq(rest.offset, first.offset + 2048);
    cr_assert_eq(rest.bytes, TS_WINDOW_SMALL - 2048);
    cr_assert_eq(rest.header->bytes, rest.bytes);
    ts_window_close(&rest, rest.bytes - TS_WINDOW_LEAST, 79, 1);
    cr_assert_eq(ts_trace_map.block_table[block], 0, "too small a rest is not kept");
}

Test(window, rests_that_nobody_can_keep_are_not_counted_as_written) {
    struct ts_window windows[TS_PROCESS_RESTS + 3];
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (unsigned i = 0; i < TS_PROCESS_RESTS + 3; i++)
        cr_assert_eq(ts_window_claim(&windows[i], TS_WINDOW_SMALL, 0), 0);
    for (unsigned i = 0; i < TS_PROCESS_RESTS + 3; i++)
        ts_window_close(&windows[i], 1024, 1, 1);
    uint32_t counted = 0;
    for (uint64_t i = 0; i < ts_trace_map.block_count; i++)
        counted += ts_trace_map.block_table[i];
    cr_assert_eq(counted, TS_PROCESS_RESTS);
}

Test(window, end_beyond_the_window_is_its_end) {
    struct ts_window window;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), 0);
    ts_window_close(&window, TS_WINDOW_SMALL + 200, 1, 1);
    cr_assert_eq(window.header->end_bytes, TS_WINDOW_SMALL);
    cr_assert_eq(ts_trace_map.block_table[window.offset / ts_trace_map.block_bytes], 0);
}

Test(window, a_place_without_room_says_so_and_stays_within_what_exists) {
    struct ts_window window, none;
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_STOP);
    uint32_t block = (uint32_t)ts_trace_map.block_bytes;
    failing_system_fill_place(3); /* the header and two blocks */
    cr_assert_eq(ts_window_claim(&window, block, 0), 0);
    cr_assert_eq(ts_window_claim(&window, block, 0), 0);
    cr_assert_eq(ts_window_claim(&none, block, 0), TS_LOST_PLACE + 1);
    cr_assert_null(none.header);
    cr_assert_eq(ts_trace_map.header->usable_blocks, ts_trace_map.first_block + 2);
    cr_assert_eq(ts_trace_map.block_table[ts_trace_map.first_block + 2], 0);
    cr_assert_eq(ts_window_claim(&none, TS_WINDOW_SMALL, 0), TS_LOST_PLACE + 1);
    cr_assert_eq(ts_window_claim(&none, TS_WINDOW_SMALL, 1), TS_LOST_PLACE + 1);
    failing_system_fill_place(UINT64_MAX);
    cr_assert_eq(ts_window_claim(&none, block, 0), TS_LOST_PLACE + 1, "the end of the file is decided once");
}

Test(window, a_place_without_room_for_the_header_loses_and_recovers) {
    struct ts_window window;
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    failing_system_fill_place(0);
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), TS_LOST_PLACE + 1);
    ts_window_count_lost(NULL, TS_LOST_PLACE, 1, 5); /* must not touch the header's page */
    failing_system_fill_place(UINT64_MAX);
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), 0);
    cr_assert_eq(ts_trace_map.header->lost_events[TS_LOST_PLACE], 1); /* told as soon as it can be */
}

Test(window, without_address_space_the_reason_is_memory) {
    struct ts_window window;
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_STOP);
    failing_system_arm(1u << FAILING_MAP_AGAIN, 1, 1, 12);
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), TS_LOST_MEMORY + 1);
    cr_assert_eq(ts_trace_map.block_table[ts_trace_map.first_block], 0);
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), 0, "it was for a moment only");
}

Test(window, losses_are_counted_in_the_file_and_in_the_window) {
    struct ts_window window;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), 0);
    ts_window_count_lost(window.header, TS_LOST_FULL, 3, 100);
    ts_window_count_lost(NULL, TS_LOST_HANDLER, 4, 200);
    ts_window_count_lost(window.header, TS_LOST_FULL, 5, 300);
    const struct ts_file_header *file = ts_trace_map.header;
    cr_assert_eq(file->lost_events[TS_LOST_FULL], 8);
    cr_assert_eq(file->lost_events[TS_LOST_HANDLER], 4);
    cr_assert_eq(file->lost_first_clock, 100);
    cr_assert_eq(file->lost_last_clock, 300);
    cr_assert_eq(window.header->lost_events[TS_LOST_FULL], 8);
    cr_assert_eq(window.header->lost_first_clock, 100);
    cr_assert_eq(window.header->lost_last_clock, 300);
}
