/* The certificate's lines. Cannot find: a line that misleads a person. */
#include "render/count_text.h"
#include "render/info.h"
#include "render/info_json.h"
#include "render/json_document.h"
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

enum output { INFO, SUMMARY, JSON };

static char *text_of(struct trace_builder *builder, enum output output) {
    struct ts_session *session = replay_open(builder);
    struct ts_error error;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (output == SUMMARY) {
        replay_checked(session);
        ts_info_write_summary(session, out);
    } else if (output == JSON) {
        cr_assert_eq(ts_info_write_json(session, out, &error), 0);
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

static void expect_start(const char *text, const char *start) {
    cr_assert_eq(strncmp(text, start, strlen(start)), 0, "not `%s` but\n%s", start, text);
}

static void add_number(struct trace_builder *builder, uint32_t key, const char *digits) {
    trace_builder_metadata(builder, key, digits, (uint32_t)strlen(digits));
}

Test(info, tells_what_was_recorded) {
    char *text = text_of(demo(), INFO);
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
    expect_line(text, "own cost of starting, waits included: 1.75 ms");
    expect_line(text, "own cost of one event: 10.8 ns");
    expect_line(text, "own cost: not known (no process told its CPU time, which it does at its end)");
    expect_line(text, "closed by no_end: 1 (open when last seen: their process was killed, or still runs)");
    expect_start(text,
                 "complete: every call that can be seen was recorded; 1 process was killed or still runs: what is "
                 "open there has no end\n");
    cr_assert_not_null(strstr(text, "\nmodule: /nowhere/demo, names are missing: "), "%s", text);
    free(text);
}

Test(info, tells_what_was_lost_and_when) {
    struct trace_builder *builder = demo();
    struct ts_file_header *header = trace_builder_header(builder);
    header->lost_events[TS_LOST_FULL] = 12;
    header->lost_first_clock = TRACE_NS(501001);
    header->lost_last_clock = TRACE_NS(2000001);
    header->misnested = 1;
    header->dropped_windows = 3;
    header->dropped_calls = 900;
    header->dropped_bytes = 10800;
    char *text = text_of(builder, INFO);
    expect_line(text, "lost: 12 events");
    expect_line(text, "lost because the trace was full: 12 events, from 501.0 µs to 2.00 ms after the start");
    expect_line(text, "dropped: 900 calls in 3 windows");
    expect_line(text, "dropped because TRACE_MAX_SIZE was reached: 900 calls, 10800 bytes");
    expect_start(text, "NOT complete: 12 events lost between 501.0 µs and 2.00 ms (the trace was full); the oldest 900 "
                       "calls dropped (TRACE_MAX_SIZE was reached); ");
    free(text);
}

Test(info, names_from_the_trace_cannot_write_to_the_terminal) {
    struct trace_builder *builder = demo();
    trace_builder_metadata(builder, TS_METADATA_NOTE, "x", 1);
    size_t bytes;
    uint8_t *data = trace_builder_bytes(builder, &bytes);
    char *host = memmem(data, bytes, "node7", 5);
    memcpy(host, "\033[2J\n", 5);
    char *text = text_of(builder, INFO);
    cr_assert_null(strchr(text, '\033'));
    cr_assert_not_null(strstr(text, "host: \\x1b[2J\\n"));
    free(text);
}

Test(info, summary_is_silent_when_all_is_well) {
    char *text = text_of(demo(), SUMMARY);
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
    char *text = text_of(builder, SUMMARY);
    cr_assert_str_eq(text,
                     "traceshim: incomplete: 13 events lost (the trace was full, a signal handler interrupted the "
                     "recorder's slow path); the oldest 900 calls dropped (TRACE_MAX_SIZE was reached)\n");
    free(text);
}

Test(info, summary_tells_when) {
    struct trace_builder *builder = demo();
    struct ts_file_header *header = trace_builder_header(builder);
    header->dropped_windows = 3;
    header->dropped_calls = 1234567;
    header->dropped_first_clock = TRACE_NS(1001);
    header->dropped_last_clock = TRACE_NS(2900000001);
    char *text = text_of(builder, SUMMARY);
    cr_assert_str_eq(text, "traceshim: incomplete: the oldest 1,234,567 calls dropped between 1.0 µs and 2.90 s "
                           "(TRACE_MAX_SIZE was reached)\n");
    free(text);
}

Test(info, tells_why_calls_have_no_exit) {
    static const uint32_t reasons[] = {TS_UNWIND_EXCEPTION, TS_UNWIND_JUMP, TS_UNWIND_THREAD_END, TS_UNWIND_UNKNOWN};
    struct trace_builder *builder = demo();
    uint64_t ns = 2000;
    trace_builder_exit(builder, TRACE_NS(1900));
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t calls = 0; calls <= i; calls++)
            trace_builder_enter(builder, TRACE_NS(ns += 10), 0x10400);
        trace_builder_unwind(builder, TRACE_NS(ns += 10), i + 1, reasons[i]);
    }
    for (uint32_t calls = 0; calls < 5; calls++)
        trace_builder_enter(builder, TRACE_NS(ns += 10), 0x10400);
    trace_builder_control_window(builder, 1, TRACE_NS(ns));
    trace_builder_process_end(builder, TRACE_NS(ns + 10), 1, TS_END_SIGNAL, 11);
    char *text = text_of(builder, INFO);
    expect_line(text, "unfinished: 5 (still open when their thread was last seen)");
    expect_line(text, "closed by signal: 5 (open when a signal ended their process)");
    expect_line(text, "unwound: 10 (left by an exception, longjmp or the end of their thread)");
    expect_line(text, "closed by exception: 1 (left by an exception)");
    expect_line(text, "closed by longjmp: 2 (left by longjmp)");
    expect_line(text, "closed by thread_end: 3 (open when their thread ended, by pthread_exit or cancellation)");
    expect_line(text, "closed by unwind: 4 (their frames were gone; it was not seen why)");
    expect_line(text, "left by exceptions: 1 (with an exit, or unwound)");
    expect_start(text, "complete: every call that can be seen was recorded\n");
    free(text);
}

/* 4 events and 2 lost ones at 10.77 ns, 1 ms of starting; a child has its own CPU time, not its parent's. */
Test(info, adds_up_what_it_cost) {
    struct trace_builder *builder = demo();
    add_number(builder, TS_METADATA_CPU_TIME_NS, "4000000");
    trace_builder_control_window(builder, 1, TRACE_NS(1400));
    add_number(builder, TS_METADATA_CPU_TIME_NS, "4000000");
    add_number(builder, TS_METADATA_START_CPU_NS, "1000000");
    trace_builder_window_of(builder, 2, 2, TRACE_NS(1500))->parent_process = 1;
    trace_builder_header(builder)->lost_events[TS_LOST_FULL] = 2;
    char *text = text_of(builder, INFO);
    expect_line(text,
                "own cost: 25.00 % of the CPU time, 1.00 ms of 4.00 ms: 1.00 ms starting, 6 events at 10.8 ns (in "
                "the 1 of 2 processes that told their CPU time)");
    free(text);
}

Test(info, tells_how_modules_were_bound) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    trace_builder_load(builder, TRACE_NS(1), 0x400000, 0x400000, 0x500000, 7, 0, "/nowhere/liba.so");
    trace_builder_load(builder, TRACE_NS(1), 0x600000, 0x600000, 0x700000, 8, 0, "/nowhere/libb.so");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_control_window(builder, 1, TRACE_NS(1100));
    struct ts_record_slots a = {.generation = 7, .patched = 12, .left = 3}, b = {.generation = 8, .refused = 1};
    struct ts_record_slots nobody = {.generation = 99, .patched = 1000};
    trace_builder_record(builder, TS_RECORD_SLOTS, &a, sizeof a, NULL, 0);
    trace_builder_record(builder, TS_RECORD_SLOTS, &b, sizeof b, NULL, 0);
    trace_builder_record(builder, TS_RECORD_SLOTS, &nobody, sizeof nobody, NULL, 0);
    trace_builder_metadata(builder, TS_METADATA_UNSEEN, "/nowhere/libb.so: read-only", 27);
    char *text = text_of(builder, INFO);
    expect_start(text, "NOT complete: not recorded: /nowhere/libb.so: read-only; ");
    expect_line(text, "modules: 3 loaded, 1 patched in 12 slots, 1 refused");
    expect_line(text, "patched: /nowhere/demo, instrumented, slots not told (a process tells them at its end)");
    expect_line(text, "patched: /nowhere/liba.so, 12 slots, 3 left");
    expect_line(text, "patched: /nowhere/libb.so, 0 slots, refused (its pages cannot be made writable)");
    expect_line(text, "not seen: /nowhere/libb.so: read-only");
    expect_line(text,
                "not seen: calls through 3 pointers in liba.so: the address of a hooked function was taken there, "
                "and may be compared: left as it is");
    free(text);
}

Test(info, counts_steps_back_of_a_threads_clock) {
    struct trace_builder *builder = demo();
    trace_builder_close_window(builder, TRACE_NS(5000));
    trace_builder_window(builder, 1, TRACE_NS(4000));
    trace_builder_close_window(builder, TRACE_NS(4500));
    trace_builder_window(builder, 2, TRACE_NS(1000)); /* another thread */
    char *text = text_of(builder, INFO);
    expect_line(text, "clock steps back: 1 (durations across them are not to be trusted)");
    free(text);
}

Test(info, json_is_well_formed_whatever_the_names_are) {
    struct trace_builder *builder = demo();
    trace_builder_control_window(builder, 1, TRACE_NS(1400));
    trace_builder_metadata(builder, TS_METADATA_UNSEEN, "\"\\\n\033: \xff\xc0", 8);
    trace_builder_metadata(builder, TS_METADATA_OPTION, "TRACE_HOOKS=\"a\\,setjmp", 22);
    char *text = text_of(builder, JSON);
    for (const char *at = text; *at; at++)
        cr_assert((unsigned char)*at >= ' ' || *at == '\n', "a control byte");
    cJSON *document = cJSON_Parse(text);
    cr_assert_not_null(document, "%s", text);
    cr_expect(cJSON_IsFalse(cJSON_GetObjectItem(document, "complete")));
    const char *missing = cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItem(document, "missing"), 0));
    cr_expect_str_eq(missing, "not recorded: \"\\\n\033: \xef\xbf\xbd\xef\xbf\xbd");
    cr_expect_eq(cJSON_GetObjectItem(document, "calls")->valueint, 2);
    cr_expect_eq(cJSON_GetObjectItem(document, "unfinished")->valueint, 1);
    int setjmps = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(document, "not_seen")) {
        const char *what = cJSON_GetStringValue(cJSON_GetObjectItem(item, "what"));
        const char *why = cJSON_GetStringValue(cJSON_GetObjectItem(item, "why"));
        setjmps += strcmp(what, "calls of setjmp") == 0 && strstr(why, "never hooked: ");
    }
    cr_expect_eq(setjmps, 1);
    cJSON_Delete(document);
    free(text);
}

Test(info, counts_have_commas) {
    static const struct {
        uint64_t count;
        const char *text;
    } counts[] = {{0, "0"},
                  {999, "999"},
                  {1000, "1,000"},
                  {123456, "123,456"},
                  {1234567, "1,234,567"},
                  {UINT64_MAX, "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cr_assert_str_eq(ts_count_text(counts[i].count).text, counts[i].text);
}

Test(info, tells_the_rank_with_what_is_known_of_the_job) {
    struct trace_builder *alone = demo(), *one_of = demo();
    trace_builder_control_window(alone, 1, TRACE_NS(1400));
    trace_builder_control_window(one_of, 1, TRACE_NS(1400));
    trace_builder_metadata(alone, TS_METADATA_RANK, "3", 1);
    trace_builder_metadata(one_of, TS_METADATA_RANK, "3", 1);
    trace_builder_metadata(one_of, TS_METADATA_SIZE, "8", 1);
    char *text = text_of(alone, INFO);
    cr_expect_not_null(strstr(text, "\nprocess 100: demo, mpi rank 3, end not seen"), "%s", text);
    free(text);
    text = text_of(one_of, INFO);
    cr_expect_not_null(strstr(text, "\nprocess 100: demo, mpi rank 3 of 8, end not seen"), "%s", text);
    free(text);
}
