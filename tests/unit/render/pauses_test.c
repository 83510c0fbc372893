/*
 * Pauses of recording: what ends with them, what is told of them, and how long they were. Cannot find: a recorder that
 * writes them wrong (tests/unit/recorder/recorder_pause_test.c).
 */
#include "render/pauses.h"
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct trace_builder *demo(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    return builder;
}

static void add(struct trace_builder *builder, uint32_t type, uint64_t clock) {
    struct ts_record_pause record;
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, type, &record, sizeof record, NULL, 0);
}

static void end_paused(struct trace_builder *builder, uint64_t clock) {
    trace_builder_close_window(builder, clock);
    trace_builder_newest_window(builder)->flags |= TS_WINDOW_PAUSED;
}

static void expect(struct trace_builder *builder, const char *expected) {
    char *text = replay_of(builder);
    cr_assert_str_eq(text, expected);
    free(text);
}

Test(pauses, calls_end_when_the_pause_begins_that_nothing_follows) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1200), 0x10500);
    end_paused(builder, TRACE_NS(1500));
    trace_builder_window(builder, 2, TRACE_NS(9000));
    trace_builder_enter(builder, TRACE_NS(9000), 0x10400);
    trace_builder_exit(builder, TRACE_NS(9100));
    expect(builder, "[1/0] 0x400@1100 0x500@1200 ^recording paused@1500 )@1501? )@1502? [1/0]$ "
                    "[2/0] 0x400@9000 )@9100 [2/0]$");
}

Test(pauses, calls_go_on_behind_it_and_the_thread_goes_on_when_its_process_does) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    end_paused(builder, TRACE_NS(1500));
    trace_builder_window(builder, 1, TRACE_NS(3000));
    add(builder, TS_RECORD_RESUME, TRACE_NS(3000));
    trace_builder_exit(builder, TRACE_NS(3100));
    trace_builder_control_window(builder, 1, TRACE_NS(1500));
    add(builder, TS_RECORD_PAUSE, TRACE_NS(1500));
    add(builder, TS_RECORD_RESUME, TRACE_NS(2500));
    expect(builder, "[1/0] 0x400@1100 ^recording paused@1500 ^recording resumed@2500 )@3100 [1/0]$");
}

/* The session of the trace; frees the builder. */
static struct ts_pauses pauses_of(struct trace_builder *builder) {
    struct ts_error error;
    char *directory = trace_builder_make_directory();
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = ts_session_open(directory, &error);
    cr_assert_not_null(session, "%s", error.text);
    struct ts_pauses pauses = ts_pauses_find(session);
    ts_session_close(session);
    trace_builder_remove_directory(directory);
    return pauses;
}

Test(pauses, their_length_whatever_the_order_of_the_records) {
    struct trace_builder *builder = demo();
    trace_builder_control_window(builder, 1, TRACE_NS(1000));
    add(builder, TS_RECORD_RESUME, TRACE_NS(5000));
    add(builder, TS_RECORD_PAUSE, TRACE_NS(4000));
    add(builder, TS_RECORD_PAUSE, TRACE_NS(4500)); /* changes nothing */
    add(builder, TS_RECORD_RESUME, TRACE_NS(2300));
    add(builder, TS_RECORD_PAUSE, TRACE_NS(2000));
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(9000), 0x10400);
    struct ts_pauses pauses = pauses_of(builder);
    cr_assert_eq(pauses.count, 2);
    cr_assert_eq(pauses.ns, 1300);
    cr_assert_eq(pauses.processes, 1);
}

Test(pauses, none_without_records) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    struct ts_pauses pauses = pauses_of(builder);
    cr_assert_eq(pauses.count + pauses.ns + pauses.processes, 0);
}
