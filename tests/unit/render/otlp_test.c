/*
 * OTLP byte by byte: a whole file, values of every kind, and how spans are put into lines. What a file must hold beyond
 * that, tests/check_otlp.py knows.
 */
#include "render/otlp_attributes.h"
#include "render/otlp_lines.h"
#include "render/otlp_sink.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *print(struct sink_script *script) {
    struct ts_otlp otlp;
    struct ts_error error;
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    ts_otlp_open(&otlp, sink_script_session(script), out);
    struct ts_sink sink = ts_otlp_sink(&otlp);
    sink_script_play(script, &sink);
    cr_assert_eq(ts_otlp_close(&otlp, &error), 0);
    fclose(out);
    return text;
}

#define RESOURCE                                                                                                       \
    "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"         \
    "\"demo\"}},{\"key\":\"process.pid\",\"value\":{\"intValue\":\"100\"}}]},\"scopeSpans\":["
#define THREAD                                                                                                         \
    "{\"key\":\"thread.id\",\"value\":{\"intValue\":\"100\"}},{\"key\":\"thread.name\",\"value\":{\"stringValue\":"    \
    "\"demo\"}}"

/* The text between two others, which must be there. */
static char *between(const char *text, const char *begin, const char *end) {
    const char *from = strstr(text, begin);
    cr_assert_not_null(from, "no %s in %s", begin, text);
    from += strlen(begin);
    const char *to = strstr(from, end);
    cr_assert_not_null(to);
    return strndup(from, (size_t)(to - from));
}

Test(otlp, a_session_without_processes_has_no_lines) {
    struct sink_script *script = sink_script_new();
    char *text = print(script);
    cr_expect_str_eq(text, "");
    free(text);
    sink_script_free(script);
}

Test(otlp, a_whole_file) {
    struct sink_script *script = sink_script_new();
    struct ts_process *process = sink_script_process(script, 100, "demo", 0, 1000);
    process->realtime_offset_ns = INT64_C(1700000000000000000);
    sink_script_stream(script, process, 100, "");
    sink_script_enter(script, "main", "demo", 10);
    sink_script_call(script, "a\"\xff", "lib", 20, 30);
    sink_script_leave_as(script, 40, TS_LEAVE_UNFINISHED);
    char *text = print(script);
    char *trace = between(text, "\"traceId\":\"", "\"");
    char *inner = between(text, "\"spanId\":\"", "\"");
    char *outer = between(text, "\"parentSpanId\":\"", "\"");
    char *facts = between(text, "{\"name\":\"traceshim\",\"version\":", "\n");
    char *expected;
    cr_expect_eq(strlen(trace), 32u);
    cr_expect_neq(strspn(trace, "0"), 32u, "a trace id of zeros");
    cr_assert_gt(asprintf(&expected,
                          RESOURCE
                          "{\"scope\":{\"name\":\"lib\"},\"spans\":[{\"traceId\":\"%s\",\"spanId\":\"%s\","
                          "\"parentSpanId\":\"%s\",\"flags\":257,\"name\":\"a\\\"\ufffd\",\"kind\":1,"
                          "\"startTimeUnixNano\":\"1700000000000000020\",\"endTimeUnixNano\":\"1700000000000000030\","
                          "\"attributes\":[" THREAD "],\"status\":{}}]},"
                          "{\"scope\":{\"name\":\"demo\"},\"spans\":[{\"traceId\":\"%s\",\"spanId\":\"%s\","
                          "\"flags\":257,\"name\":\"main\",\"kind\":1,"
                          "\"startTimeUnixNano\":\"1700000000000000010\",\"endTimeUnixNano\":\"1700000000000000040\","
                          "\"attributes\":[{\"key\":\"unfinished\",\"value\":{\"boolValue\":true}}," THREAD
                          "],\"status\":{}}]}]}]}\n" RESOURCE "{\"scope\":{\"name\":\"traceshim\",\"version\":%s\n",
                          trace, inner, outer, trace, outer, facts),
                 0);
    cr_expect_str_eq(text, expected);
    cr_expect_not_null(strstr(facts, "{\"key\":\"calls\",\"value\":{\"intValue\":\"2\"}}"), "%s", facts);
    char *all[] = {text, trace, inner, outer, facts, expected};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    sink_script_free(script);
}

Test(otlp, values_of_every_kind) {
    const struct ts_value items[] = {ts_value_string("a"), {.kind = TS_VALUE_INTEGER, .integer = -1}};
    const struct {
        struct ts_value value;
        const char *expected;
    } cases[] = {
        {{.kind = TS_VALUE_INTEGER, .integer = INT64_MIN}, "{\"intValue\":\"-9223372036854775808\"}"},
        {{.kind = TS_VALUE_UNSIGNED, .number = INT64_MAX}, "{\"intValue\":\"9223372036854775807\"}"},
        {{.kind = TS_VALUE_UNSIGNED, .number = UINT64_MAX}, "{\"stringValue\":\"18446744073709551615\"}"},
        {{.kind = TS_VALUE_REAL, .real = 1.5}, "{\"doubleValue\":1.5}"},
        {{.kind = TS_VALUE_REAL, .real = NAN}, "{\"doubleValue\":\"NaN\"}"},
        {{.kind = TS_VALUE_REAL, .real = -INFINITY}, "{\"doubleValue\":\"-Infinity\"}"},
        {{.kind = TS_VALUE_BOOLEAN, .boolean = false}, "{\"boolValue\":false}"},
        {{.kind = TS_VALUE_DURATION, .duration_ns = 1500}, "{\"stringValue\":\"1.5 µs\"}"},
        {{.kind = TS_VALUE_NONE}, "{\"stringValue\":\"None\"}"},
        {{.kind = TS_VALUE_LIST, .list = {items, 2}},
         "{\"arrayValue\":{\"values\":[{\"stringValue\":\"a\"},{\"intValue\":\"-1\"}]}}"},
        {{.kind = TS_VALUE_LIST, .list = {items, 0}}, "{\"arrayValue\":{\"values\":[]}}"},
        {{.kind = TS_VALUE_STRING, .string = "\xed\xa0\xbd\x01\\"},
         "{\"stringValue\":\"\ufffd\ufffd\ufffd\\u0001\\\\\"}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_json_text json = {.text = NULL};
        char *expected;
        ts_otlp_attribute_add(&json, &(struct ts_attribute){"k", cases[i].value});
        ts_json_text_bytes(&json, "", 1);
        cr_assert_gt(asprintf(&expected, "{\"key\":\"k\",\"value\":%s},", cases[i].expected), 0);
        cr_expect_str_eq(json.text, expected);
        free(expected);
        ts_json_text_free(&json);
    }
}

/* A line ends when it has its spans, and where another process begins; the last line has the facts. */
Test(otlp, lines_are_bounded) {
    struct sink_script *script = sink_script_new();
    for (uint32_t pid = 100; pid < 102; pid++) {
        sink_script_stream(script, sink_script_process(script, pid, "demo", 0, 100000), pid, "");
        for (uint64_t i = 1; i <= TS_OTLP_LINE_SPANS + 1; i++)
            sink_script_call(script, "f", i % 2 ? "odd" : "even", 2 * i, 2 * i + 1);
    }
    char *text = print(script);
    const size_t expected[] = {TS_OTLP_LINE_SPANS, 1, TS_OTLP_LINE_SPANS, 1, 0};
    char *at = text;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t spans = 0;
        char *end = strchr(at, '\n');
        cr_assert_not_null(end);
        *end = '\0';
        for (const char *span = at; (span = strstr(span, "\"spanId\"")); span++)
            spans++;
        cr_expect_eq(spans, expected[i], "line %zu has %zu spans", i + 1, spans);
        at = end + 1;
    }
    cr_expect_str_eq(at, "");
    free(text);
    sink_script_free(script);
}

/* A span that is written has its parent in the file, also where only the longest are. */
Test(otlp, parents_of_what_is_kept_are_kept) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    sink_script_enter(script, "outer", "demo", 10);
    sink_script_enter(script, "middle", "demo", 20);
    sink_script_call(script, "inner", "demo", 30, 40);
    sink_script_leave(script, 50);
    sink_script_call(script, "short", "demo", 60, 61);
    sink_script_leave(script, 70);
    struct ts_otlp otlp;
    struct ts_error error;
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    ts_otlp_open(&otlp, sink_script_session(script), out);
    otlp.longest = (struct ts_longest){.all_from_ns = 1000, .some_from_ns = 10, .room = 1};
    struct ts_sink sink = ts_otlp_sink(&otlp);
    sink_script_play(script, &sink);
    cr_expect_eq(otlp.calls, 3u);
    cr_expect_eq(otlp.dropped_short, 1u);
    cr_assert_eq(ts_otlp_close(&otlp, &error), 0);
    fclose(out);
    cr_expect_null(strstr(text, "\"short\""));
    cr_expect_not_null(strstr(text, "\"middle\""));
    free(text);
    sink_script_free(script);
}
