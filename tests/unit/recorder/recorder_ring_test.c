/* The recorder in a trace that is too small: what is in the file, what was dropped and what was lost add up. Cannot
 * find: wrong counts after a thread was killed. */
#include "collector/recorder.h"
#include "collector/recorder_attach.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <pthread.h>

TestSuite(recorder_ring, .fini = scene_end);

#define OUTER 0x401000
#define LEAF 0x403000

struct work {
    pthread_t thread;
    unsigned calls;
    unsigned made;
    int wide;
};

static void *record_calls(void *context) {
    struct work *work = context;
    scene_enter(OUTER, 0);
    for (work->made = 1; work->made < work->calls; work->made++) {
        unsigned depth = 1 + work->made % 7;
        scene_enter_at(LEAF, 1, scene_frame(depth), ts_clock_now(), 0, work->wide);
        if (work->made % 5)
            scene_exit_at(LEAF, scene_frame(depth), ts_clock_now(), 0); /* the others are unwound */
    }
    scene_exit(OUTER, 0);
    return NULL;
}

/* All ENTER records of all threads. */
static uint64_t calls_in(const struct reading *reading) {
    uint64_t calls = 0;
    for (uint32_t thread = 1; thread <= reading->header->thread_count; thread++)
        calls += reading_count(reading, thread).enters;
    return calls;
}

static uint64_t lost_in(const struct reading *reading) {
    uint64_t lost = 0;
    for (unsigned i = 0; i < TS_LOST_SLOTS; i++)
        lost += reading->header->lost_events[i];
    return lost;
}

static void record_and_add_up(unsigned threads, unsigned calls, int wide) {
    struct work work[8] = {0};
    for (unsigned i = 0; i < threads; i++) {
        work[i].calls = calls;
        work[i].wide = wide;
        cr_assert_eq(pthread_create(&work[i].thread, NULL, record_calls, &work[i]), 0);
    }
    uint64_t made = 0;
    for (unsigned i = 0; i < threads; i++) {
        cr_assert_eq(pthread_join(work[i].thread, NULL), 0);
        made += work[i].made;
    }
    struct reading *reading = reading_open(scene_trace());
    uint64_t present = calls_in(reading), dropped = reading->header->dropped_calls;
    cr_assert_gt(reading->header->dropped_windows, 0);
    cr_assert_eq(lost_in(reading), 0, "%llu events lost", (unsigned long long)lost_in(reading));
    cr_assert_eq(present + dropped, made, "%llu calls in the file and %llu dropped are not %llu",
                 (unsigned long long)present, (unsigned long long)dropped, (unsigned long long)made);
    reading_close(reading);
}

Test(recorder_ring, calls_in_the_file_and_dropped_ones_are_all) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    record_and_add_up(1, 1000000, 0);
}

Test(recorder_ring, of_several_threads) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    record_and_add_up(4, 250000, 0);
}

Test(recorder_ring, of_calls_with_wide_addresses) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    record_and_add_up(1, 400000, 1);
}

Test(recorder_ring, the_newest_call_is_there_and_windows_know_what_was_open) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    scene_enter(OUTER, 0);
    for (unsigned i = 0; i < 1000000; i++)
        scene_call(LEAF, 1);
    scene_enter(LEAF + 16, 1);
    struct reading *reading = reading_open(scene_trace());
    const struct ts_window_header *newest = NULL;
    for (size_t i = 0; i < reading->window_count; i++)
        if (reading->windows[i]->thread == 1) {
            newest = reading->windows[i];
            cr_assert(newest->depth == 1 || newest->depth == 2);
            cr_assert_eq(((const struct ts_open_call *)(newest + 1))->address, OUTER);
            cr_assert_eq(newest->lowest_depth, newest->previous ? 1 : 0);
        }
    cr_assert_eq(newest->sequence, reading->header->window_sequence);
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(reading_find(reading, 1, READING_ENTER, (unsigned)counts.enters - 1).address, LEAF + 16);
    reading_close(reading);
}

Test(recorder_ring, stop_keeps_the_oldest_and_counts_the_rest) {
    enum { CALLS = 1000000 };
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    for (unsigned i = 1; i < CALLS; i++)
        scene_call(LEAF, 1);
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(reading_find(reading, 1, READING_ENTER, 0).address, OUTER);
    cr_assert_eq(reading->header->dropped_windows, 0);
    cr_assert_gt(reading->header->lost_events[TS_LOST_FULL], 0);
    cr_assert_eq(counts.enters + counts.exits + lost_in(reading), 2 * CALLS, "%llu + %llu events written, %llu lost",
                 (unsigned long long)counts.enters, (unsigned long long)counts.exits,
                 (unsigned long long)lost_in(reading));
    cr_assert_geq(counts.enters, 2 * SCENE_BYTES_SMALL / 3 / 12, "much of the file is empty");
    reading_close(reading);
}

/* Every block is written by somebody else for a while. */
Test(recorder_ring, a_loss_ends_when_there_is_a_window_again) {
    struct ts_window blocks[64];
    unsigned taken = 0, calls = 0;
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    scene_enter(OUTER, 0);
    cr_assert_eq(ts_window_claim(&blocks[taken++], TS_WINDOW_SMALL, 0), 0); /* beside the recorder's own */
    while (ts_window_claim(&blocks[taken], (uint32_t)ts_trace_map.block_bytes, 0) == 0)
        taken++;
    for (calls = 0; calls < 30000; calls++)
        scene_call(LEAF, 1);
    uint64_t lost = ts_trace_map.header->lost_events[TS_LOST_FULL];
    cr_assert_gt(lost, 0);
    for (unsigned i = 0; i < taken; i++)
        ts_window_close(&blocks[i], sizeof *blocks[i].header, 1, 0);
    for (unsigned i = 0; i < 5000; i++)
        scene_call(LEAF, 1), calls++;
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    lost = lost_in(reading);
    cr_assert_eq(counts.lost, lost, "LOST records say %llu, the header %llu: no window was taken again",
                 (unsigned long long)counts.lost, (unsigned long long)lost);
    /* The recorder's own first window was idle too, and may be what the ring took: with the ENTER of the outer call,
     * and with that of the last call when what was lost began with its EXIT. */
    uint64_t dropped = ts_trace_map.header->dropped_calls;
    uint64_t cut = dropped ? (counts.enters < counts.exits) + lost % 2 : 0;
    cr_assert_eq(counts.enters + counts.exits + lost + 2 * dropped - cut, 2 * (calls + 1),
                 "%llu + %llu written, %llu lost, %llu calls dropped of %u", (unsigned long long)counts.enters,
                 (unsigned long long)counts.exits, (unsigned long long)lost, (unsigned long long)dropped,
                 2 * (calls + 1));
    cr_assert_lt(lost, 2 * 30000 + 8192);
    reading_close(reading);
}

Test(recorder_ring, a_place_that_fills_up_keeps_the_newest) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    failing_system_fill_place(8);
    record_and_add_up(1, 300000, 0);
    cr_assert_lt(ts_trace_map.header->usable_blocks, ts_trace_map.block_count);
}
