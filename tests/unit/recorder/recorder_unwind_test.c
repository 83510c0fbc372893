/* Calls that end without their exit hook, and exits without a call. Cannot find: what compilers make of such code. */
#include "collector/recorder.h"
#include "collector/recorder_hook.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>

TestSuite(recorder_unwind, .fini = scene_end);

#define OUTER 0x401000
#define INNER 0x402000
#define LEAF 0x403000

static void setup(void) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
}

/* The trace so far: `enters` calls, `exits` ended, `unwound` were unwound by `unwinds` records, the rest is open. */
static void expect(uint64_t enters, uint64_t exits, uint64_t unwound, uint64_t unwinds) {
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, enters, "%llu enters", (unsigned long long)counts.enters);
    cr_assert_eq(counts.exits, exits, "%llu exits", (unsigned long long)counts.exits);
    cr_assert_eq(counts.unwound, unwound, "%llu unwound", (unsigned long long)counts.unwound);
    cr_assert_eq(counts.unwinds, unwinds, "%llu UNWIND records", (unsigned long long)counts.unwinds);
    cr_assert_eq(reading_check_thread(reading, 1), enters - exits - unwound);
    cr_assert_eq(scene_shadow_depth(), enters - exits - unwound);
    reading_close(reading);
}

static uint64_t misnested(void) {
    return ts_trace_map.header->misnested;
}

Test(recorder_unwind, frames_below_a_new_one_are_dead, .init = setup) {
    scene_enter(INNER, 1);
    scene_enter(LEAF, 2);
    scene_enter(LEAF, 3);
    scene_enter(INNER, 1); /* longjmp to OUTER, which calls again */
    expect(5, 0, 3, 1);
    scene_exit(INNER, 1);
    scene_exit(OUTER, 0);
    expect(5, 2, 3, 1);
    cr_assert_eq(misnested(), 0);
}

Test(recorder_unwind, frames_below_one_that_ends_are_dead, .init = setup) {
    scene_enter(INNER, 1);
    scene_enter(LEAF, 2);
    scene_exit(OUTER, 0); /* an exception that OUTER caught */
    expect(3, 1, 2, 1);
    cr_assert_eq(misnested(), 0);
}

Test(recorder_unwind, equal_frame_of_another_call_site_is_another_frame, .init = setup) {
    uint64_t clock = ts_clock_now();
    scene_enter_at(INNER, 0x500, scene_frame(1), clock, 0, 0);
    scene_enter_at(INNER, 0x600, scene_frame(1), clock + 10, 0, 0); /* the first one's exit was skipped */
    expect(3, 0, 1, 1);
    scene_enter_at(LEAF, 0x700, scene_frame(1), clock + 20, 0, 0);
    expect(4, 0, 2, 2);
}

Test(recorder_unwind, functions_inlined_into_one_frame_nest, .init = setup) {
    uint64_t clock = ts_clock_now();
    for (unsigned i = 0; i < 5; i++)
        scene_enter_at(INNER + 16 * i, 0x500, scene_frame(1), clock + i, 0, 0);
    expect(6, 0, 0, 0);
    for (unsigned i = 5; i-- > 0;)
        scene_exit_at(INNER + 16 * i, scene_frame(1), clock + 20 - i, 0);
    expect(6, 5, 0, 0);
}

Test(recorder_unwind, inlined_functions_inside_one_that_ends_are_dead, .init = setup) {
    uint64_t clock = ts_clock_now();
    for (unsigned i = 0; i < 5; i++)
        scene_enter_at(INNER + 16 * i, 0x500, scene_frame(1), clock + i, 0, 0);
    scene_exit_at(INNER + 16, scene_frame(1), clock + 10, 0); /* 2, 3 and 4 were left by an exception */
    expect(6, 1, 3, 1);
    scene_exit_at(INNER, scene_frame(1), clock + 11, 0);
    expect(6, 2, 3, 1);
}

Test(recorder_unwind, the_same_enter_again_means_its_exit_was_skipped, .init = setup) {
    uint64_t clock = ts_clock_now();
    scene_enter_at(INNER, 0x500, scene_frame(1), clock, 0, 0);
    scene_enter_at(LEAF, 0x500, scene_frame(1), clock + 1, 0, 0); /* inlined into the same frame */
    scene_enter_at(INNER, 0x500, scene_frame(1), clock + 2, 0, 0);
    expect(4, 0, 2, 1);
    scene_enter_at(LEAF, 0x500, scene_frame(1), clock + 3, 0, 0);
    scene_enter_at(LEAF, 0x500, scene_frame(1), clock + 4, 0, 0);
    expect(6, 0, 3, 2);
}

Test(recorder_unwind, exit_without_a_call_is_counted_and_harms_nothing, .init = setup) {
    scene_exit(INNER, 1);
    cr_assert_eq(misnested(), 1);
    expect(1, 0, 0, 0);
    scene_enter(INNER, 1);
    scene_exit(LEAF, 1);
    cr_assert_eq(misnested(), 2);
    scene_exit(INNER, 1);
    scene_exit(OUTER, 0);
    expect(2, 2, 0, 0);
    scene_exit(OUTER, 0);
    cr_assert_eq(misnested(), 3);
    expect(2, 2, 0, 0);
}

Test(recorder_unwind, exit_of_an_outer_frame_is_not_taken_for_an_inner_one, .init = setup) {
    scene_enter(LEAF, 1);
    scene_enter(LEAF, 2);
    scene_exit(LEAF, 1); /* the inner one was left by longjmp */
    expect(3, 1, 1, 1);
    scene_enter(LEAF, 1);
    scene_enter(LEAF, 2);
    scene_exit_tail(LEAF, 1);
    expect(5, 2, 2, 2);
}

Test(recorder_unwind, a_jumped_to_exit_hook_closes_its_own_call, .init = setup) {
    scene_enter(LEAF, 1);
    scene_enter(LEAF, 2);
    scene_exit_tail(LEAF, 2);
    expect(3, 1, 0, 0);
    scene_exit_tail(LEAF, 1);
    scene_exit_tail(OUTER, 0);
    expect(3, 3, 0, 0);
}

/* The open calls of a window's header must be those before the unwinding, and `end_depth` after it. */
Test(recorder_unwind, over_the_end_of_windows, .init = setup) {
    uint64_t enters = 1, exits = 0, unwound = 0;
    for (unsigned i = 0; i < 60000; i++) {
        unsigned depth = 1 + i * 7 % 20;
        for (unsigned at = 1; at <= depth; at++)
            scene_enter(LEAF + 16 * at, at);
        enters += depth;
        if (i % 3) {
            scene_exit(LEAF + 16, 1);
            exits++;
            unwound += depth - 1;
        } else {
            scene_call(INNER, 1);
            enters++;
            exits++;
            unwound += depth;
        }
    }
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_geq(counts.windows, 4);
    cr_assert_eq(counts.enters, enters);
    cr_assert_eq(counts.exits, exits);
    cr_assert_eq(counts.unwound, unwound);
    cr_assert_eq(reading_check_thread(reading, 1), 1);
    reading_close(reading);
}

static uint64_t jumped(void) {
    struct reading *reading = reading_open(scene_trace());
    uint64_t count = reading_count(reading, 1).jumped;
    reading_close(reading);
    return count;
}

Test(recorder_unwind, a_jump_is_why_the_next_event_finds_calls_gone, .init = setup) {
    scene_enter(INNER, 1);
    scene_enter(LEAF, 2);
    ts_recorder_jump();
    scene_enter(INNER, 1);
    expect(4, 0, 2, 1);
    cr_assert_eq(jumped(), 2);
    ts_recorder_jump();
    scene_exit(OUTER, 0);
    expect(4, 1, 3, 2);
    cr_assert_eq(jumped(), 3);
}

Test(recorder_unwind, a_jump_that_left_nothing_is_over_at_the_next_event, .init = setup) {
    scene_enter(INNER, 1);
    ts_recorder_jump();
    scene_enter(LEAF, 2);
    scene_exit(OUTER, 0);
    expect(3, 1, 2, 1);
    cr_assert_eq(jumped(), 0);
}
