/* Calls as the file shows them. Cannot find: mistakes in finding a frame, as the frames here are made up. */
#include "collector/clock.h"
#include "collector/recorder.h"
#include "collector/recorder_attach.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <pthread.h>

TestSuite(recorder, .fini = scene_end);

#define OUTER 0x401000
#define INNER 0x402000
#define LEAF 0x403000

Test(recorder, no_trace_no_recorder) {
    ts_recorder_enter_slow(OUTER, 1, scene_frame(0), scene_frame(1), 1, 0);
    cr_assert_null(ts_this_recorder);
    scene_exit(OUTER, 0);
    cr_assert_null(ts_this_recorder);
    cr_assert_eq(ts_recorder_thread_number(), 0);
}

Test(recorder, calls_are_in_the_file_at_once_and_in_order) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    scene_enter(INNER, 1);
    scene_call(LEAF, 2);
    scene_exit(INNER, 1);
    scene_call(LEAF, 1);
    cr_assert_eq(ts_recorder_thread_number(), 1);
    struct reading *reading = reading_open(scene_trace());
    static const unsigned addresses[] = {OUTER, INNER, LEAF, LEAF};
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(reading_find(reading, 1, READING_ENTER, i).address, addresses[i]);
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 4);
    cr_assert_eq(counts.exits, 3);
    cr_assert_eq(counts.unwound + counts.holes + counts.pending + counts.lost, 0);
    cr_assert_eq(reading_check_thread(reading, 1), 1);
    cr_assert_eq(reading_calls_below(reading, 1, LEAF, INNER), 1);
    cr_assert_eq(reading_calls_below(reading, 1, LEAF, OUTER), 1);
    reading_close(reading);
}

Test(recorder, times_are_those_of_the_hooks) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_call(OUTER, 0); /* the thread's first event has work to do, which is not its call's */
    uint64_t before = ts_clock_now();
    scene_enter_at(INNER, 1, scene_frame(0), before + 40, 0, 0);
    scene_exit_at(INNER, scene_frame(0), before + 801, 0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_find(reading, 1, READING_ENTER, 1).clock, (before + 40) & ~UINT64_C(3));
    cr_assert_eq(reading_find(reading, 1, READING_EXIT, 1).clock, (before + 801) & ~UINT64_C(3));
    reading_close(reading);
}

Test(recorder, clock_is_written_in_full_whenever_its_upper_part_changes) {
    enum { EPOCHS = 9 };
    static const uint64_t jump[EPOCHS] = {0, 1, 2, 5, 9, 1000, 1001, 123456, 123457}; /* in 2^30 ticks */
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_call(OUTER, 0);
    uint64_t start = ((ts_clock_now() >> TS_EPOCH_SHIFT) + 100) << TS_EPOCH_SHIFT;
    for (unsigned i = 0; i < EPOCHS; i++) {
        uint64_t clock = start + (jump[i] << TS_EPOCH_SHIFT) + 1000;
        scene_enter_at(INNER, 1, scene_frame(0), clock, 0, 0);
        scene_enter_at(LEAF, 1, scene_frame(1), clock + 100, 0, 0);
        scene_exit_at(LEAF, scene_frame(1), clock + 200, 0);
        scene_exit_at(INNER, scene_frame(0), clock + 400 + ((uint64_t)(i == 4) << TS_EPOCH_SHIFT), 0);
    }
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.times, EPOCHS + 1, "%llu TIME records", (unsigned long long)counts.times);
    cr_assert_eq(counts.pairs, counts.times, "the rate of the clock is known however the process ends");
    for (unsigned i = 0; i < EPOCHS; i++) {
        uint64_t clock = start + (jump[i] << TS_EPOCH_SHIFT) + 1000;
        cr_assert_eq(reading_find(reading, 1, READING_ENTER, 1 + 2 * i).clock, clock);
        cr_assert_eq(reading_find(reading, 1, READING_ENTER, 2 + 2 * i).clock, clock + 100);
        cr_assert_eq(reading_find(reading, 1, READING_EXIT, 1 + 2 * i).clock, clock + 200);
        cr_assert_eq(reading_find(reading, 1, READING_EXIT, 2 + 2 * i).clock,
                     clock + 400 + ((uint64_t)(i == 4) << TS_EPOCH_SHIFT));
    }
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

Test(recorder, wide_calls_have_all_bits_of_their_address) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (unsigned i = 0; i < 2000; i++) { /* over the end of a window */
        uint64_t clock = ts_clock_now();
        scene_enter_at(UINT64_C(0x7f1234561000) + 16 * i, 1, scene_frame(0), clock, 0, 1);
        scene_exit_at(UINT64_C(0x7f1234561000) + 16 * i, scene_frame(0), clock + 50, 0);
    }
    struct reading *reading = reading_open(scene_trace());
    for (unsigned i = 0; i < 2000; i += 111)
        cr_assert_eq(reading_find(reading, 1, READING_ENTER, i).address, UINT64_C(0x7f1234561000) + 16 * i);
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 2000);
    cr_assert_eq(counts.exits, 2000);
    cr_assert_geq(counts.windows, 2);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

/* A walk up and down through many windows: every header must say what was open, and how far down it went. */
Test(recorder, each_window_knows_what_is_open) {
    enum { STEPS = 400000, DEEPEST = 3000 };
    unsigned depth = 0, random = 7, up = 1;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (unsigned i = 0; i < STEPS; i++) {
        random = random * 1103515245u + 12345;
        if (random >> 16 & 1023 ? 0 : 1)
            up = !up;
        if (depth < DEEPEST && (depth == 0 || (random >> 8 & 7) < (up ? 5u : 3u)))
            scene_enter(LEAF + depth * 16, depth), depth++;
        else
            depth--, scene_exit(LEAF + depth * 16, depth);
    }
    cr_assert_eq(scene_shadow_depth(), depth);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_geq(counts.windows, 4);
    cr_assert_eq(counts.enters + counts.exits, STEPS);
    cr_assert_eq(counts.pending, 0);
    cr_assert_leq(counts.holes, 2 * counts.windows, "more than the reservation that did not fit");
    cr_assert_eq(reading_check_thread(reading, 1), depth);
    reading_close(reading);
}

Test(recorder, a_million_open_calls) {
    enum { CALLS = 1000000 };
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint64_t outermost = scene_frame(1);
    for (uint64_t i = 0; i < CALLS; i++)
        scene_enter_at(LEAF, 1, outermost - 8 * i, ts_clock_now(), 0, 0);
    cr_assert_eq(scene_shadow_depth(), CALLS);
    for (uint64_t i = CALLS; i-- > 0;)
        ts_recorder_exit(LEAF, outermost - 8 * i - 1, 0, ts_clock_now(), 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, CALLS);
    cr_assert_eq(counts.exits, CALLS);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert_eq(reading->header->misnested, 0);
    reading_close(reading);
}

Test(recorder, without_memory_for_a_deeper_stack_the_loss_is_counted) {
    enum { CALLS = 5000 };
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    failing_system_arm(1u << FAILING_MMAP, 1, UINT64_MAX, 12);
    for (unsigned i = 1; i <= CALLS; i++)
        scene_enter(LEAF + 16 * i, i);
    for (unsigned i = CALLS; i > 0; i--)
        scene_exit(LEAF + 16 * i, i);
    failing_system_disarm();
    scene_exit(OUTER, 0);
    cr_assert_eq(scene_shadow_depth(), 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, counts.exits);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert_eq(counts.enters + reading->header->lost_events[TS_LOST_MEMORY], CALLS + 1,
                 "%llu calls, %llu lost events", (unsigned long long)counts.enters,
                 (unsigned long long)reading->header->lost_events[TS_LOST_MEMORY]);
    reading_close(reading);
}

Test(recorder, a_call_that_found_no_memory_does_not_close_another) {
    enum { CALLS = 3000 };
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    failing_system_arm(1u << FAILING_MAP_AGAIN, 0, 0, 12);
    scene_call(OUTER, 0);
    failing_system_arm(1u << FAILING_MMAP, 1, UINT64_MAX, 12);
    for (unsigned i = 0; i < CALLS; i++) /* one function calls itself */
        scene_enter_at(LEAF, 0x500, scene_frame(i), ts_clock_now(), 0, 0);
    uint64_t kept = scene_shadow_depth();
    for (unsigned i = CALLS; i-- > kept;)
        scene_exit(LEAF, i);
    cr_assert_eq(scene_shadow_depth(), kept, "exits of %llu lost calls closed %llu others",
                 (unsigned long long)(CALLS - kept), (unsigned long long)(kept - scene_shadow_depth()));
}

static void *record_calls(void *context) {
    unsigned calls = *(unsigned *)context;
    for (unsigned i = 0; i < calls; i++) {
        scene_enter(OUTER, 0);
        scene_call(INNER, 1);
        scene_exit(OUTER, 0);
    }
    return NULL;
}

Test(recorder, threads_have_streams_of_their_own) {
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    unsigned calls[THREADS];
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (unsigned i = 0; i < THREADS; i++) {
        calls[i] = 1 + i * 4000;
        cr_assert_eq(pthread_create(&threads[i], NULL, record_calls, &calls[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading->header->thread_count, THREADS);
    unsigned seen[THREADS] = {0};
    for (uint32_t thread = 1; thread <= THREADS; thread++) {
        struct reading_counts counts = reading_count(reading, thread);
        cr_assert_eq(reading_check_thread(reading, thread), 0);
        cr_assert_eq(counts.thread_ends, 1);
        cr_assert_eq(counts.enters, counts.exits);
        cr_assert_eq(reading_calls_below(reading, thread, INNER, OUTER), counts.enters / 2);
        for (unsigned i = 0; i < THREADS; i++)
            seen[i] += counts.enters == 2 * calls[i];
    }
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(seen[i], 1, "%u streams of %u calls", seen[i], 2 * calls[i]);
    for (uint64_t block = 0; block < reading->header->block_count; block++)
        cr_assert_leq(ts_trace_map.block_table[block], 64);
    reading_close(reading);
}

static void *end_inside_a_call(void *context) {
    (void)context;
    scene_enter(OUTER, 0);
    scene_enter(INNER, 1);
    return NULL;
}

Test(recorder, calls_of_an_ended_thread_end_with_it) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_in_thread(end_inside_a_call, NULL);
    struct reading *reading = reading_open(scene_trace());
    struct reading_event unwind = reading_find(reading, 1, TS_RECORD_UNWIND, 0);
    cr_assert_not_null(unwind.words);
    cr_assert_eq(((const struct ts_record_unwind *)unwind.words)->count, 2);
    cr_assert_eq(((const struct ts_record_unwind *)unwind.words)->reason, TS_UNWIND_THREAD_END);
    cr_assert_eq(reading_count(reading, 1).thread_ends, 1);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert(reading->windows[0]->flags & TS_WINDOW_CLOSED);
    reading_close(reading);
}

Test(recorder, a_thousand_threads_one_after_the_other_share_windows) {
    unsigned one = 1;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (unsigned i = 0; i < 1000; i++)
        scene_in_thread(record_calls, &one);
    struct reading *reading = reading_open(scene_trace());
    uint64_t used = (reading->header->next_block - reading->header->first_block) * reading->header->block_bytes;
    cr_assert_leq(used, 3u << 20, "%llu KiB for 1000 short threads", (unsigned long long)used >> 10);
    for (uint32_t thread = 1; thread <= 1000; thread++) {
        cr_assert_eq(reading_check_thread(reading, thread), 0);
        cr_assert_eq(reading_count(reading, thread).enters, 2);
    }
    reading_close(reading);
}
