/* Open calls against a window's header. Cannot find: what a whole replay does with the answer (replay_windows_test.c).
 */
#include "collector/trace_format.h"
#include "render/lane.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define CALL(at, when)                                                                                                 \
    { .address = (at), .clock = (when) }

/* Five calls, entered at 400, 800, ... 2000 ticks, on top of `unknown` others. */
static uint64_t common(uint64_t unknown, uint64_t depth, const struct ts_open_call *calls, uint32_t count,
                       uint64_t lowest) {
    struct ts_lane_call open[] = {{400, 0}, {800, 0}, {1200, 0}, {1600, 0}, {2000, 0}};
    struct ts_lane lane = {.calls = open, .depth = 5, .capacity = 5, .unknown = unknown};
    return ts_lane_common(&lane, depth, calls, count, lowest);
}

Test(lane, the_same_calls_all_survive_whatever_the_low_bits_of_their_clocks) {
    const struct ts_open_call calls[] = {CALL(1, 1203), CALL(2, 1600), CALL(3, 2001)};
    cr_assert_eq(common(0, 5, calls, 3, 0), 5);
}

Test(lane, survivors_end_where_the_clocks_differ) {
    const struct ts_open_call calls[] = {CALL(1, 1200), CALL(2, 1604), CALL(3, 2000)};
    cr_assert_eq(common(0, 5, calls, 3, 0), 3);
}

Test(lane, header_of_fewer_calls_keeps_those) {
    const struct ts_open_call calls[] = {CALL(1, 800)};
    cr_assert_eq(common(0, 2, calls, 1, 0), 2);
}

Test(lane, without_a_call_in_common_the_lowest_depth_decides) {
    const struct ts_open_call calls[] = {CALL(1, 9000), CALL(2, 9004)};
    cr_assert_eq(common(0, 5, calls, 2, 2), 2);
    cr_assert_eq(common(0, 5, calls, 2, 9), 3);
}

Test(lane, calls_beyond_what_the_header_lists_are_kept_up_to_the_lowest_depth) {
    const struct ts_open_call calls[] = {CALL(1, 9000)};
    cr_assert_eq(common(0, 10, calls, 1, 4), 4);
    cr_assert_eq(common(0, 10, calls, 1, 100), 5);
}

Test(lane, unknown_calls_count_in_the_depth) {
    const struct ts_open_call calls[] = {CALL(0, 1), CALL(1, 400), CALL(2, 800), CALL(3, 1204)};
    cr_assert_eq(common(7, 10, calls, 4, 0), 9);
}

/* Exceptions that are never caught: only a damaged trace has so many, and each catch looks for its own. */
Test(lane, exceptions_without_end_are_forgotten, .timeout = 10) {
    enum { THROWS = 400000 };
    struct ts_lane lane = {.depth = 0};
    for (uint64_t i = 1; i <= THROWS; i++)
        ts_lane_throw(&lane, &(struct ts_thrown){.header = i});
    cr_expect_leq(lane.throw_count, 1024u);
    cr_expect_eq(ts_lane_thrown(&lane, 0)->header, (uint64_t)THROWS);
    for (uint64_t i = 1; i <= THROWS; i++) {
        ts_lane_throw(&lane, &(struct ts_thrown){.header = THROWS + i});
        ts_lane_thrown(&lane, 1);
    }
    ts_lane_forget_throws(&lane);
    free(lane.thrown);
}
