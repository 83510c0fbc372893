/* The certificate's lines. Cannot find: a line that misleads a person. */
#include "render/info.h"
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_builder *demo(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    trace_builder_metadata(builder, TS_METADATA_HOST, "node7", 5);
    trace_builder_metadata(builder, TS_METADATA_OPTION, "TRACE_LEVEL=1", 13);
    trace_builder_metadata(builder, TS_METADATA_START_COST_NS, "1746566", 7);
    trace_builder_metadata(builder, TS_METADATA_EVENT_COST_NS, "10770", 5);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1200), 0x10500);
    trace_builder_exit(builder, TRACE_NS(1300));
    return builder;
}

static char *text_of(struct trace_builder *builder, int summary) {
    struct ts_session *session = replay_open(builder);
    struct ts_error error;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (summary) {
        replay_checked(session);
        ts_info_write_summary(session, out);
    } else {
        cr_assert_eq(ts_info_write(session, out, &error), 0);
    }
    fclose(out);
    replay_close(session);
    return text;
}

static void expect_line(const char *text, const char *line) {
    char wanted[500];
    snprintf(wanted, sizeof(wanted), "\n%s\n", line);
    cr_assert_not_null(strstr(text, wanted), "no line `%s` in\n%s", line, text);
}

Test(info, tells_what_was_recorded) {
    char *text = text_of(demo(), 0);
    expect_line(text, "processes: 1");
    expect_line(text, "process 100: demo, end not seen (killed, or still running), 1.3 µs, command '/nowhere/demo'");
    expect_line(text, "threads: 1");
    expect_line(text, "calls: 2");
    expect_line(text, "unfinished: 1 (still open when their thread was last seen)");
    expect_line(text, "unwound: 0");
    expect_line(text, "lost: 0 events");
    expect_line(text, "dropped: 0 calls in 0 windows");
    expect_line(text, "misnested: 0");
    expect_line(text, "damaged: 0");
    expect_line(text, "clock: CLOCK_MONOTONIC, 2 pairs, worst residual 0 ns");
    expect_line(text, "host: node7");
    expect_line(text, "option: TRACE_LEVEL=1");
    expect_line(text, "own cost of starting: 1.75 ms");
    expect_line(text, "own cost of one event: 10.8 ns");
    cr_assert_not_null(strstr(text, "\nmodule: /nowhere/demo, names are missing: "), "%s", text);
    free(text);
}

Test(info, tells_what_was_lost_and_when) {
    struct trace_builder *builder = demo();
    struct ts_file_header *header = trace_builder_header(builder);
    header->lost_events[TS_LOST_FULL] = 12;
    header->lost_first_clock = TRACE_NS(501001);
    header->lost_last_clock = TRACE_NS(2000001);
    header->dropped_windows = 3;
    header->dropped_calls = 900;
    header->dropped_bytes = 10800;
    char *text = text_of(builder, 0);
    expect_line(text, "lost: 12 events");
    expect_line(text, "lost because the trace was full: 12 events, from 501.0 µs to 2.00 ms after the start");
    expect_line(text, "dropped: 900 calls in 3 windows");
    expect_line(text, "dropped because TRACE_MAX_SIZE was reached: 900 calls, 10800 bytes");
    free(text);
}

Test(info, names_from_the_trace_cannot_write_to_the_terminal) {
    struct trace_builder *builder = demo();
    trace_builder_metadata(builder, TS_METADATA_NOTE, "x", 1);
    size_t bytes;
    uint8_t *data = trace_builder_bytes(builder, &bytes);
    char *host = memmem(data, bytes, "node7", 5);
    memcpy(host, "\033[2J\n", 5);
    char *text = text_of(builder, 0);
    cr_assert_null(strchr(text, '\033'));
    cr_assert_not_null(strstr(text, "host: \\x1b[2J\\n"));
    free(text);
}

Test(info, summary_is_silent_when_all_is_well) {
    char *text = text_of(demo(), 1);
    cr_assert_str_eq(text, "");
    free(text);
}

Test(info, summary_is_one_line_of_what_is_missing) {
    struct trace_builder *builder = demo();
    struct ts_file_header *header = trace_builder_header(builder);
    header->lost_events[TS_LOST_FULL] = 12;
    header->lost_events[TS_LOST_HANDLER] = 1;
    header->dropped_windows = 3;
    header->dropped_calls = 900;
    char *text = text_of(builder, 1);
    cr_assert_str_eq(text,
                     "traceshim: incomplete: 13 events lost (the trace was full, a signal handler interrupted the "
                     "recorder's slow path); the oldest 900 calls dropped (TRACE_MAX_SIZE reached)\n");
    free(text);
}
