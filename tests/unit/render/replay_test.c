/* Words of one window into calls. Cannot find: what goes wrong between windows (replay_windows_test.c). */
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static struct trace_builder *demo(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    return builder;
}

static struct trace_builder *demo_thread(void) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    return builder;
}

static void expect(struct trace_builder *builder, const char *expected) {
    char *text = replay_of(builder);
    cr_assert_str_eq(text, expected);
    free(text);
}

Test(replay, a_call_in_a_call) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1110), 0x10500);
    trace_builder_exit(builder, TRACE_NS(1120));
    trace_builder_exit(builder, TRACE_NS(1200));
    expect(builder, "[1/0] 0x400@1100 0x500@1110 )@1120 )@1200 [1/0]$");
}

Test(replay, no_window_is_a_process_without_calls_and_a_reason) {
    struct ts_session *session = replay_open(demo());
    cr_assert_eq(session->process_count, 1);
    cr_assert_eq(session->stream_count, 0);
    cr_assert_eq(replay_checked(session), 0);
    cr_assert_eq(session->warning_count, 1);
    cr_assert(replay_warns(session, "no instrumented function was called"));
    replay_close(session);
}

Test(replay, equal_and_backward_times_are_made_to_increase) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1100), 0x10500);
    trace_builder_exit(builder, TRACE_NS(1090));
    trace_builder_exit(builder, TRACE_NS(1100));
    trace_builder_enter(builder, TRACE_NS(1104), 0x10600);
    trace_builder_exit(builder, TRACE_NS(1110));
    expect(builder, "[1/0] 0x400@1100 0x500@1101 )@1102 )@1103 0x600@1104 )@1110 [1/0]$");
}

Test(replay, holes_and_pending_records_are_skipped) {
    struct trace_builder *builder = demo_thread();
    for (int i = 0; i < 13; i++)
        trace_builder_word(builder, 0);
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_word(builder, TS_HEAD_PENDING(3));
    trace_builder_word(builder, 0xffffffff);
    trace_builder_word(builder, 0x12345601);
    trace_builder_word(builder, 0);
    trace_builder_exit(builder, TRACE_NS(1200));
    expect(builder, "[1/0] 0x400@1100 )@1200 [1/0]$");
}

Test(replay, an_open_window_ends_where_its_records_end) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_exit(builder, TRACE_NS(1200));
    trace_builder_newest_window(builder)->end_bytes = 0;
    expect(builder, "[1/0] 0x400@1100 )@1200 [1/0]$");
}

Test(replay, unknown_record_is_skipped) {
    struct trace_builder *builder = demo_thread();
    uint32_t record[4] = {0, 1, 2, 3};
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_record(builder, 200, record, sizeof(record), NULL, 0);
    trace_builder_exit(builder, TRACE_NS(1200));
    expect(builder, "[1/0] 0x400@1100 )@1200 [1/0]$");
}

Test(replay, unknown_record_that_must_be_known_ends_the_window_with_a_warning) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_word(builder, TS_HEAD(200, 1) | TS_HEAD_MUST_KNOW);
    trace_builder_exit(builder, TRACE_NS(1200));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 )@1101? [1/0]$");
    cr_assert(replay_warns(session, "record type 200 is not known"));
    cr_assert_eq(session->totals.damaged_windows, 1);
    free(text);
    replay_close(session);
}

Test(replay, a_record_longer_than_its_window_ends_it) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_exit(builder, TRACE_NS(1200));
    trace_builder_word(builder, TS_HEAD(TS_RECORD_TIME, TS_HEAD_MAX_WORDS));
    struct ts_session *session = replay_open(builder);
    cr_assert_eq(replay_checked(session), 2);
    cr_assert_eq(session->totals.damaged_windows, 1);
    replay_close(session);
}

Test(replay, time_records_carry_the_clock_over_its_field) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(UINT64_C(5000000000)), 0x10500);
    trace_builder_exit(builder, TRACE_NS(UINT64_C(5000000001)));
    trace_builder_exit(builder, TRACE_NS(UINT64_C(3600000000000)));
    expect(builder, "[1/0] 0x400@1100 0x500@5000000000 )@5000000001 )@3600000000000 [1/0]$");
}

Test(replay, late_record_of_an_interrupted_hook_lies_in_the_past_even_before_a_time_record) {
    struct trace_builder *builder = demo();
    uint64_t epoch = UINT64_C(7) << TS_EPOCH_SHIFT;
    trace_builder_window(builder, 1, epoch - 400);
    trace_builder_enter(builder, epoch - 200, 0x10400);
    trace_builder_time(builder, epoch + 40);
    trace_builder_enter(builder, epoch + 40, 0x10500); /* the handler's */
    trace_builder_exit(builder, epoch + 80);
    trace_builder_word(builder, ((uint32_t)(epoch - 100) & TS_CLOCK_FIELD) | TS_KIND_EXIT); /* stamped before it */
    trace_builder_enter(builder, epoch + 400, 0x10600);
    trace_builder_exit(builder, epoch + 800);
    uint64_t ns = epoch / 4;
    char expected[200];
    snprintf(expected, sizeof(expected), "[1/0] 0x400@%lu 0x500@%lu )@%lu )@%lu 0x600@%lu )@%lu [1/0]$", ns - 50,
             ns + 10, ns + 20, ns + 21, ns + 100, ns + 200);
    expect(builder, expected);
}

Test(replay, absurd_time_record_is_damage_and_moves_no_time) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_time(builder, UINT64_C(1) << 62);
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 )@1101? [1/0]$");
    cr_assert_eq(session->totals.damaged_windows, 1);
    free(text);
    replay_close(session);
}

Test(replay, unwound_calls_end_together_and_are_counted) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1110), 0x10500);
    trace_builder_enter(builder, TRACE_NS(1120), 0x10600);
    trace_builder_unwind(builder, TRACE_NS(1150), 2, TS_UNWIND_JUMP);
    trace_builder_exit(builder, TRACE_NS(1200));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 0x500@1110 0x600@1120 )@1150u )@1151u )@1200 [1/0]$");
    cr_assert_eq(session->totals.unwound, 2);
    cr_assert_eq(session->totals.calls, 3);
    free(text);
    replay_close(session);
}

Test(replay, more_unwound_than_open_ends_what_is_open) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_unwind(builder, TRACE_NS(1150), UINT32_C(1000), TS_UNWIND_JUMP);
    trace_builder_enter(builder, TRACE_NS(1160), 0x10500);
    trace_builder_exit(builder, TRACE_NS(1170));
    expect(builder, "[1/0] 0x400@1100 )@1150u 0x500@1160 )@1170 [1/0]$");
}

Test(replay, exit_without_a_call_is_dropped_and_counted) {
    struct trace_builder *builder = demo_thread();
    trace_builder_exit(builder, TRACE_NS(1050));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_exit(builder, TRACE_NS(1200));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 )@1200 [1/0]$");
    cr_assert_eq(session->totals.misnested, 1);
    free(text);
    replay_close(session);
}

Test(replay, open_calls_end_with_the_last_record_of_a_killed_thread) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1150), 0x10500);
    trace_builder_exit(builder, TRACE_NS(1200));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 0x500@1150 )@1200 )@1201? [1/0]$");
    cr_assert_eq(session->totals.unfinished, 1);
    free(text);
    replay_close(session);
}

Test(replay, open_calls_end_with_the_process_where_that_was_seen) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_control_window(builder, 1, TRACE_NS(1500));
    trace_builder_process_end(builder, TRACE_NS(2000), 1, TS_END_EXIT, 0);
    expect(builder, "[1/0] 0x400@1100 )@2000? [1/0]$");
}

Test(replay, calls_of_an_ended_thread_do_not_last_until_the_process_ends) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_thread_end(builder, TRACE_NS(1300));
    trace_builder_control_window(builder, 1, TRACE_NS(1500));
    trace_builder_process_end(builder, TRACE_NS(2000), 1, TS_END_EXIT, 0);
    expect(builder, "[1/0] 0x400@1100 )@1300? [1/0]$");
}

Test(replay, wide_address_is_used_with_all_its_bits) {
    struct trace_builder *builder = demo();
    uint64_t low = UINT64_C(0x7f1200010000);
    trace_builder_load(builder, 0, low, low, low + 0x1000, 2, TS_LOAD_WIDE | TS_LOAD_INSTRUMENTED, "/usr/lib/far.so");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10040);
    trace_builder_enter_wide(builder, TRACE_NS(1110), low + 0x80);
    trace_builder_exit(builder, TRACE_NS(1120));
    trace_builder_exit(builder, TRACE_NS(1130));
    expect(builder, "[1/0] 0x40@1100 0x80@1110 )@1120 )@1130 [1/0]$");
}

Test(replay, address_in_no_module_is_told_as_it_is) {
    struct trace_builder *builder = demo_thread();
    trace_builder_enter(builder, TRACE_NS(1100), 0x900000);
    trace_builder_exit(builder, TRACE_NS(1200));
    expect(builder, "[1/0] *0x900000@1100 )@1200 [1/0]$");
}

Test(replay, one_address_is_two_functions_after_another_module_took_its_place) {
    struct trace_builder *builder = demo();
    trace_builder_load(builder, TRACE_NS(10), 0x500000, 0x500000, 0x510000, 2, 0, "/lib/first.so");
    trace_builder_unload(builder, TRACE_NS(1500), 0x500000, 2);
    trace_builder_load(builder, TRACE_NS(1600), 0x500000 - 0x40, 0x500000, 0x510000, 3, 0, "/lib/second.so");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    for (uint64_t ns = 1100; ns < 2000; ns += 600) {
        trace_builder_enter(builder, TRACE_NS(ns), 0x500100);
        trace_builder_exit(builder, TRACE_NS(ns + 10));
    }
    expect(builder, "[1/0] 0x100@1100 )@1110 0x140@1700 )@1710 [1/0]$");
}

Test(replay, a_million_open_calls) {
    struct trace_builder *builder = trace_builder_new_sized(100, 1 << 20);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    uint64_t ns = 1000;
    for (int i = 0; i < 1000000; i++)
        trace_builder_enter(builder, TRACE_NS(ns++), 0x10400);
    for (int i = 0; i < 1000000; i++)
        trace_builder_exit(builder, TRACE_NS(ns++));
    struct ts_session *session = replay_open(builder);
    cr_assert_eq(replay_checked(session), 2000000);
    cr_assert_eq(session->totals.calls, 1000000);
    cr_assert_eq(session->totals.unfinished, 0);
    cr_assert_eq(session->totals.damaged_windows, 0);
    replay_close(session);
}

static void count_enter(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    (void)function;
    (void)start_ns;
    (void)flags;
    int *entered = context;
    ++*entered;
}

static int stop_now;
static void stop_at_first_leave(void *context, uint64_t end_ns, enum ts_leave_how how) {
    (void)context;
    (void)end_ns;
    if (how == TS_LEAVE_EXIT)
        stop_now++;
}

Test(replay, stops_when_told_and_leaves_what_is_open) {
    struct trace_builder *builder = demo_thread();
    for (uint64_t i = 0; i < 1000; i++) {
        trace_builder_enter(builder, TRACE_NS(1100 + 10 * i), 0x10400);
        trace_builder_exit(builder, TRACE_NS(1105 + 10 * i));
    }
    struct ts_session *session = replay_open(builder);
    int entered = 0;
    const struct ts_sink sink = {.context = &entered, .enter = count_enter, .leave = stop_at_first_leave};
    stop_now = 0;
    ts_replay(session, &sink, &stop_now);
    cr_assert_leq(entered, 400); /* of 1000 */
    replay_close(session);
}

Test(replay, estimate_is_exact_for_closed_windows_without_switches) {
    struct trace_builder *builder = demo_thread();
    for (uint64_t i = 0; i < 5000; i++) { /* several windows */
        trace_builder_enter(builder, TRACE_NS(1100 + 10 * i), 0x10400);
        if (i % 3)
            trace_builder_exit(builder, TRACE_NS(1105 + 10 * i));
    }
    trace_builder_close_window(builder, TRACE_NS(60000));
    struct ts_session *session = replay_open(builder);
    uint64_t estimate = ts_replay_estimate_calls(session);
    replay_checked(session);
    cr_assert_eq(session->totals.calls, 5000);
    cr_assert_geq(estimate, 5000);
    cr_assert_leq(estimate, 5000 + 10);
    replay_close(session);
}

Test(replay, a_second_replay_gives_the_same_totals) {
    struct trace_builder *builder = demo_thread();
    trace_builder_exit(builder, TRACE_NS(1050));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_switch(builder, TRACE_NS(1110), 9);
    trace_builder_enter(builder, TRACE_NS(1120), 0x10400);
    struct ts_session *session = replay_open(builder);
    char *first = replay_text(session);
    struct ts_totals totals = session->totals;
    char *second = replay_text(session);
    cr_assert_str_eq(first, second);
    cr_assert_arr_eq(&totals, &session->totals, sizeof(totals));
    free(first);
    free(second);
    replay_close(session);
}

Test(replay, a_third_replay_ends_open_calls_where_the_first_did) {
    struct trace_builder *builder = demo_thread();
    for (int i = 0; i < 3; i++)
        trace_builder_enter(builder, TRACE_NS(1100 + i), 0x10400);
    struct ts_session *session = replay_open(builder);
    char *first = replay_text(session);
    free(replay_text(session));
    char *third = replay_text(session);
    cr_assert_str_eq(first, third);
    free(first);
    free(third);
    replay_close(session);
}
