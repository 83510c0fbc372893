/* TRACE_DEPTH and TRACE_MIN_DURATION. Cannot find: how the options become ticks. */
#include "collector/recorder.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>

TestSuite(recorder_limits, .fini = scene_end);

#define OUTER 0x401000
#define LEAF 0x403000

static void enter(unsigned depth, uint64_t clock) {
    scene_enter_at(LEAF + 16 * depth, 0x500, scene_frame(depth), clock, 1, 0);
}

static void leave(unsigned depth, uint64_t clock) {
    scene_exit_at(LEAF + 16 * depth, scene_frame(depth), clock, 1);
}

Test(recorder_limits, deeper_calls_are_followed_but_not_written) {
    ts_recorder_limits.depth = 3;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (unsigned round = 0; round < 3; round++) {
        uint64_t clock = ts_clock_now();
        for (unsigned i = 0; i < 10; i++)
            enter(i, clock + i);
        cr_assert_eq(scene_shadow_depth(), 10);
        for (unsigned i = 10; i-- > 0;)
            leave(i, clock + 40 - i);
    }
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, 9);
    cr_assert_eq(reading_count(reading, 1).exits, 9);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert_eq(reading_calls_below(reading, 1, LEAF + 32, LEAF + 16), 3);
    cr_assert_eq(reading->header->misnested, 0);
    reading_close(reading);
}

Test(recorder_limits, unwinding_counts_only_what_was_written) {
    ts_recorder_limits.depth = 3;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint64_t clock = ts_clock_now();
    for (unsigned i = 0; i < 10; i++)
        enter(i, clock + i);
    enter(1, clock + 20);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).unwound, 2);
    cr_assert_eq(reading_check_thread(reading, 1), 2);
    reading_close(reading);
}

Test(recorder_limits, a_depth_of_one) {
    ts_recorder_limits.depth = 1;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint64_t clock = ts_clock_now();
    enter(0, clock);
    for (unsigned i = 0; i < 20000; i++) {
        enter(1, clock);
        leave(1, clock + 1);
    }
    leave(0, clock + 9);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, 1);
    cr_assert_eq(reading_count(reading, 1).exits, 1);
    reading_close(reading);
}

Test(recorder_limits, short_calls_are_taken_back) {
    ts_recorder_limits.duration_ticks = 1000;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint64_t clock = ts_clock_now();
    scene_enter_at(OUTER, 1, scene_frame(0), clock, 1, 0);
    uint64_t next = TS_CURSOR_OF(ts_this_recorder)->next;
    for (unsigned i = 0; i < 100000; i++) { /* leaves no trace: the cursor stays */
        enter(1, clock);
        leave(1, clock + 999);
    }
    cr_assert_eq(TS_CURSOR_OF(ts_this_recorder)->next, next);
    enter(1, clock);
    leave(1, clock + 1000); /* not shorter */
    enter(1, clock);
    enter(2, clock);
    leave(2, clock + 5000);
    leave(1, clock + 10); /* short, but something was called in it */
    scene_exit_at(OUTER, scene_frame(0), clock + 10, 1);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, 4);
    cr_assert_eq(reading_count(reading, 1).exits, 4);
    cr_assert_eq(reading_count(reading, 1).holes, 0);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

Test(recorder_limits, a_call_that_called_only_short_ones_is_taken_back_too) {
    ts_recorder_limits.duration_ticks = 1000;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint64_t clock = ts_clock_now();
    scene_enter_at(OUTER, 1, scene_frame(0), clock, 1, 0);
    enter(1, clock);
    enter(2, clock);
    leave(2, clock + 10);
    leave(1, clock + 20);
    scene_exit_at(OUTER, scene_frame(0), clock + 5000, 1);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, 1);
    cr_assert_eq(reading_count(reading, 1).exits, 1);
    reading_close(reading);
}

/* A call whose ENTER stands in the window before can not be taken back. */
Test(recorder_limits, windows_end_between_enter_and_exit) {
    ts_recorder_limits.duration_ticks = 1000;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    uint64_t calls = 0;
    for (unsigned i = 0; i < 200000; i++, calls++) {
        uint64_t clock = ts_clock_now();
        enter(0, clock);
        enter(1, clock);
        leave(1, clock + 1);
        leave(0, clock + (i % 2 ? 2000 : 1));
    }
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_geq(counts.windows, 3);
    cr_assert_eq(counts.enters, counts.exits);
    cr_assert_geq(counts.enters, calls / 2);
    cr_assert_leq(counts.enters, calls / 2 + 2 * counts.windows);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}
