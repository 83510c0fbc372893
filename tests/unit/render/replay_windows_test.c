/* What goes from one window to the next: open calls, lost windows, forks, tracks. Cannot find: a recorder that writes
 * wrong headers (the recorder's tests do). */
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_builder *demo(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    return builder;
}

static void expect(struct trace_builder *builder, const char *expected) {
    char *text = replay_of(builder);
    cr_assert_str_eq(text, expected);
    free(text);
}

static void call(struct trace_builder *builder, uint64_t ns, uint64_t address) {
    trace_builder_enter(builder, TRACE_NS(ns), address);
    trace_builder_exit(builder, TRACE_NS(ns + 5));
}

/* Makes the newest window look as if it was never there. */
static void erase_window(struct trace_builder *builder) {
    memset(trace_builder_newest_window(builder), 0, sizeof(struct ts_window_header));
}

Test(replay_windows, calls_stay_open_from_window_to_window) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_window(builder, 1, TRACE_NS(2000));
    trace_builder_enter(builder, TRACE_NS(2100), 0x10500);
    trace_builder_window(builder, 1, TRACE_NS(3000));
    trace_builder_exit(builder, TRACE_NS(3100));
    trace_builder_exit(builder, TRACE_NS(3200));
    expect(builder, "[1/0] 0x400@1100 0x500@2100 )@3100 )@3200 [1/0]$");
}

Test(replay_windows, threads_come_one_after_another_by_their_start) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 2, TRACE_NS(2000));
    call(builder, 2100, 0x10500);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    call(builder, 1100, 0x10400);
    trace_builder_window(builder, 2, TRACE_NS(3000));
    call(builder, 3100, 0x10500);
    expect(builder, "[1/0] 0x400@1100 )@1105 [1/0]$ [2/0] 0x500@2100 )@2105 0x500@3100 )@3105 [2/0]$");
}

Test(replay_windows, ring_drop_gives_open_calls_their_real_start) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1110), 0x10500);
    erase_window(builder);
    trace_builder_newest_window(builder)->thread = 1; /* for the builder's own books; the header stays incomplete */
    trace_builder_window(builder, 1, TRACE_NS(2000));
    trace_builder_exit(builder, TRACE_NS(2100));
    trace_builder_exit(builder, TRACE_NS(2200));
    expect(builder, "[1/0] 0x400@1100d 0x500@1110d )@2100 )@2200 [1/0]$");
}

Test(replay_windows, outer_calls_beyond_the_header_are_unknown_and_their_exits_vanish) {
    struct trace_builder *builder = demo();
    trace_builder_limit_open_calls(builder, 1);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    for (uint64_t i = 0; i < 4; i++)
        trace_builder_enter(builder, TRACE_NS(1100 + i), 0x10400 + i * 0x100);
    erase_window(builder);
    trace_builder_newest_window(builder)->thread = 1;
    trace_builder_window(builder, 1, TRACE_NS(2000));
    for (uint64_t i = 0; i < 3; i++)
        trace_builder_exit(builder, TRACE_NS(2100 + i));
    call(builder, 2200, 0x10900);
    trace_builder_exit(builder, TRACE_NS(2300));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] outer=3 0x700@1103d )@2100 0x900@2200 )@2205 [1/0]$");
    cr_assert_eq(session->totals.misnested, 0);
    cr_assert_eq(session->totals.calls, 1);
    free(text);
    replay_close(session);
}

Test(replay_windows, a_window_lost_in_the_middle_keeps_what_survived_and_ends_the_rest) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1110), 0x10500);
    trace_builder_window(builder, 1, TRACE_NS(2000));
    size_t lost = trace_builder_newest_window(builder)->offset;
    trace_builder_exit(builder, TRACE_NS(2100));
    trace_builder_enter(builder, TRACE_NS(2200), 0x10600);
    trace_builder_window(builder, 1, TRACE_NS(3000));
    trace_builder_exit(builder, TRACE_NS(3100));
    trace_builder_exit(builder, TRACE_NS(3200));
    size_t bytes;
    memset(trace_builder_bytes(builder, &bytes) + lost, 0, TRACE_BLOCK_BYTES);
    expect(builder, "[1/0] 0x400@1100 0x500@1110 )@1111? 0x600@2200d )@3100 )@3200 [1/0]$");
}

Test(replay_windows, lost_events_make_the_next_header_right) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    struct ts_open_call lost = {.address = 0x10500, .clock = TRACE_NS(1200)};
    struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(2000));
    /* The recorder lists a call whose ENTER it could not write. */
    window->depth = 2;
    window->open_count = 2;
    memcpy((char *)(window + 1) + sizeof(lost), &lost, sizeof(lost));
    window->records += (uint32_t)sizeof(lost);
    for (size_t i = 0; i < sizeof(lost) / 4; i++)
        trace_builder_word(builder, ((uint32_t *)(void *)&lost)[i]);
    trace_builder_lost(builder, TRACE_NS(1900), 1, TS_LOST_FULL);
    trace_builder_exit(builder, TRACE_NS(2100));
    trace_builder_exit(builder, TRACE_NS(2200));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 0x500@1200d )@2100 )@2200 [1/0]$");
    cr_assert_eq(session->totals.damaged_windows, 0);
    free(text);
    replay_close(session);
}

Test(replay_windows, a_record_in_flight_when_the_window_changed_is_no_damage) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1200), 0x10500); /* written after the next header was made */
    struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(2000));
    window->depth = window->open_count = 1;
    trace_builder_exit(builder, TRACE_NS(2100));
    trace_builder_window(builder, 1, TRACE_NS(3000));
    trace_builder_exit(builder, TRACE_NS(3100));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 0x500@1200 )@2100 )@3100 [1/0]$");
    cr_assert_eq(session->totals.damaged_windows, 0);
    free(text);
    replay_close(session);
}

Test(replay_windows, a_difference_that_stays_is_damage) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1200), 0x10500);
    for (uint64_t i = 2; i < 4; i++) {
        struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(1000 * i));
        window->depth = window->open_count = 1;
        trace_builder_time(builder, TRACE_NS(1000 * i + 10));
    }
    call(builder, 3100, 0x10600);
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 0x500@1200 )@1201? 0x600@3100 )@3105 )@3106? [1/0]$");
    cr_assert_eq(session->totals.damaged_windows, 1);
    free(text);
    replay_close(session);
}

Test(replay_windows, a_gap_between_known_calls_and_listed_ones_makes_the_outer_unknown) {
    struct trace_builder *builder = demo();
    trace_builder_limit_open_calls(builder, 1);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_window(builder, 1, TRACE_NS(2000));
    size_t lost = trace_builder_newest_window(builder)->offset;
    for (uint64_t i = 0; i < 4; i++)
        trace_builder_enter(builder, TRACE_NS(2100 + i), 0x10500);
    trace_builder_window(builder, 1, TRACE_NS(3000));
    for (uint64_t i = 0; i < 5; i++)
        trace_builder_exit(builder, TRACE_NS(3100 + i));
    call(builder, 3200, 0x10600);
    size_t bytes;
    memset(trace_builder_bytes(builder, &bytes) + lost, 0, TRACE_BLOCK_BYTES);
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 )@1101? 0x500@2103d )@3100 0x600@3200 )@3205 [1/0]$");
    cr_assert_eq(session->totals.misnested, 0);
    free(text);
    replay_close(session);
}

Test(replay_windows, a_header_that_contradicts_the_records_is_trusted_and_counted) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    for (uint64_t i = 0; i < 10; i++)
        trace_builder_enter(builder, TRACE_NS(1100 + i), 0x10400);
    struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(2000));
    window->depth = window->open_count = 1;
    trace_builder_exit(builder, TRACE_NS(2100));
    call(builder, 2200, 0x10500);
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert(strstr(text, ")@1118? )@2100 0x500@2200 )@2205 [1/0]$") != NULL, "%s", text);
    cr_assert_eq(session->totals.damaged_windows, 1);
    cr_assert_eq(session->totals.unfinished, 9);
    free(text);
    replay_close(session);
}

Test(replay_windows, forked_child_inherits_open_calls_which_do_not_count) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_control_window(builder, 2, TRACE_NS(1200));
    trace_builder_process(builder, TRACE_NS(1200), 101, 100, 2, 1);
    trace_builder_forked_window(builder, 2, 2, 1, TRACE_NS(1300))->process_start = TRACE_NS(1200);
    call(builder, 1400, 0x10500);
    trace_builder_exit(builder, TRACE_NS(1500));
    trace_builder_window(builder, 1, TRACE_NS(1350));
    trace_builder_exit(builder, TRACE_NS(1600));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 )@1600 [1/0]$ "
                           "[2/0] 0x400@1200i 0x500@1400 )@1405 )@1500 [2/0]$");
    cr_assert_eq(session->totals.calls, 2);
    cr_assert_eq(session->totals.unfinished, 0);
    cr_assert_eq(session->process_count, 2);
    cr_assert_str_eq(session->processes[1]->name, "demo");
    cr_assert_eq(session->processes[1]->pid, 101);
    cr_assert_eq(session->processes[1]->parent_pid, 100);
    free(text);
    replay_close(session);
}

Test(replay_windows, inherited_calls_left_open_are_not_the_childs_unfinished_ones) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_exit(builder, TRACE_NS(1600));
    trace_builder_enter(builder, TRACE_NS(1700), 0x10400);
    trace_builder_forked_window(builder, 2, 2, 1, TRACE_NS(1800));
    trace_builder_enter(builder, TRACE_NS(1900), 0x10500);
    trace_builder_window(builder, 1, TRACE_NS(1950));
    trace_builder_exit(builder, TRACE_NS(2000));
    struct ts_session *session = replay_open(builder);
    replay_checked(session);
    cr_assert_eq(session->totals.unfinished, 1);
    replay_close(session);
}

Test(replay_windows, tracks_nest_on_their_own) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_switch(builder, TRACE_NS(1110), 7);
    trace_builder_enter(builder, TRACE_NS(1120), 0x10500);
    trace_builder_switch(builder, TRACE_NS(1130), 0);
    trace_builder_exit(builder, TRACE_NS(1140));
    trace_builder_switch(builder, TRACE_NS(1150), 7);
    trace_builder_window(builder, 1, TRACE_NS(2000));
    trace_builder_exit(builder, TRACE_NS(2100));
    expect(builder, "[1/0] 0x400@1100 [1/7] 0x500@1120 [1/0] )@1140 [1/7] )@2100 [1/0] [1/0]$ [1/7] [1/7]$");
}

/* A SWITCH that claims what it likes about the depth of its track. */
static void switch_to(struct trace_builder *builder, uint64_t ns, uint32_t track, uint32_t depth) {
    struct ts_record_switch record = {
        .clock = {.low = (uint32_t)TRACE_NS(ns)}, .track = track, .kind = TS_SWITCH_CONTEXT};
    record.depth.low = depth;
    trace_builder_record(builder, TS_RECORD_SWITCH, &record, sizeof(record), NULL, 0);
}

Test(replay_windows, calls_open_on_a_track_before_it_was_seen_are_unknown) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    switch_to(builder, 1100, 4, 2);
    trace_builder_exit(builder, TRACE_NS(1110));
    call(builder, 1120, 0x10400);
    trace_builder_exit(builder, TRACE_NS(1130));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] [1/4] outer=2 0x400@1120 )@1125 [1/0] [1/0]$ [1/4] [1/4]$");
    cr_assert_eq(session->totals.misnested, 0);
    free(text);
    replay_close(session);
}

Test(replay_windows, a_track_that_lost_calls_while_another_ran_ends_them) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1110), 0x10500);
    switch_to(builder, 1120, 4, 0);
    switch_to(builder, 1130, 0, 1);
    trace_builder_exit(builder, TRACE_NS(1140));
    expect(builder, "[1/0] 0x400@1100 0x500@1110 [1/4] [1/0] )@1111? )@1140 [1/0]$ [1/4] [1/4]$");
}

Test(replay_windows, a_track_that_only_a_switch_names_is_a_stream_after_the_replay) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_switch(builder, TRACE_NS(1110), 7);
    call(builder, 1120, 0x10500);
    struct ts_session *session = replay_open(builder);
    cr_assert_eq(session->stream_count, 1);
    replay_checked(session);
    cr_assert_eq(session->stream_count, 2);
    cr_assert_eq(session->streams[1]->track, 7);
    cr_assert_eq(session->streams[1]->process, session->processes[0]);
    replay_close(session);
}

Test(replay_windows, records_in_file_order_of_blocks_do_not_matter) {
    struct trace_builder *builder = demo();
    struct ts_window_header *window;
    trace_builder_window(builder, 1, TRACE_NS(2000)); /* the ring has come round: the newer lies first */
    call(builder, 2100, 0x10500);
    window = trace_builder_newest_window(builder);
    window->sequence = 9;
    window->previous = 2;
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_newest_window(builder)->previous = 0;
    call(builder, 1100, 0x10400);
    expect(builder, "[1/0] 0x400@1100 )@1105 0x500@2100 )@2105 [1/0]$");
}
