/*
 * The Chrome trace: golden documents, and random calls whose events must nest and add up to what the report says. Finds
 * wrong events, times and escapes; not what a viewer makes of them (tests/check_chrome_json.py knows their rules).
 */
#include "render/call_stats.h"
#include "render/chrome_sink.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* `max_calls` as ts_format_chrome takes it; 0: every call. */
static char *print_longest(struct sink_script *script, uint64_t max_calls) {
    struct ts_duration_counts counts = {.max_depth = TS_CHROME_DEPTH};
    struct ts_chrome chrome;
    struct ts_error error;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    ts_chrome_open(&chrome, sink_script_session(script), out);
    if (max_calls) {
        struct ts_sink counter = ts_longest_sink(&counts);
        sink_script_play(script, &counter);
        chrome.longest = ts_longest_choose(&counts, max_calls);
    }
    struct ts_sink sink = ts_chrome_sink(&chrome);
    sink_script_play(script, &sink);
    cr_assert_eq(ts_chrome_close(&chrome, &error), 0);
    fclose(out);
    return memory;
}

static char *print(struct sink_script *script) {
    return print_longest(script, 0);
}

static struct sink_script *new_script(void) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    return script;
}

/* The lines that are calls, without the commas between them. */
static char *calls_of(const char *document) {
    char *calls = calloc(strlen(document) + 1, 1);
    char *end = calls;
    for (const char *line = document; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "{\"name\"", 7) == 0) {
            memcpy(end, line, length);
            end += length - (line[length - 1] == ',');
            *end++ = '\n';
        }
        line += length + (line[length] == '\n');
    }
    *end = 0;
    return calls;
}

/* Frees the script. */
static void expect_calls(struct sink_script *script, const char *expected) {
    char *document = print(script);
    char *calls = calls_of(document);
    cr_expect_str_eq(calls, expected);
    free(calls);
    free(document);
    sink_script_free(script);
}

Test(format_chrome, empty_session) {
    struct sink_script *script = sink_script_new();
    char *document = print(script);
    cr_expect_str_eq(document, "{\"traceEvents\":[]}\n");
    free(document);
    sink_script_free(script);
}

Test(format_chrome, whole_document) {
    struct sink_script *script = sink_script_new();
    struct ts_process *process = sink_script_process(script, 100, "demo", 0, 1000);
    process->command = "./demo \"x\"";
    process->realtime_offset_ns = INT64_C(1700000000000000001);
    sink_script_stream(script, process, 100, "");
    sink_script_call(script, "main", "demo", 1000001, 2000011);
    sink_script_stream(script, process, 101, "worker");
    sink_script_session(script)->totals.lost_events = 5;
    char *document = print(script);
#define FACTS                                                                                                          \
    "{\"tool\":\"traceshim\",\"version\":\"" TRACESHIM_VERSION "\",\"command\":\"./demo \\\"x\\\"\","                  \
    "\"clock\":\"CLOCK_MONOTONIC\",\"realtime_offset_ns\":\"1700000000000000001\",\"processes\":1,\"calls\":1,"        \
    "\"inherited_calls\":0,\"dropped_deep_calls\":0,\"dropped_short_calls\":0,\"dropped_shorter_than_ns\":0,"          \
    "\"unknown_outer_calls\":0,\"unfinished_calls\":0,\"unwound_calls\":0,\"dropped_calls\":0,\"lost_events\":5,"      \
    "\"damaged_windows\":0}"
    cr_expect_str_eq(
        document,
        "{\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":100,\"tid\":100,\"args\":{\"name\":\"demo\"}},\n"
        "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":100,\"tid\":100,\"args\":{\"sort_index\":0}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":100,\"args\":{\"name\":\"demo\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":100,\"tid\":100,\"args\":{\"sort_index\":0}},\n"
        "{\"name\":\"main\",\"cat\":\"demo\",\"ph\":\"X\",\"pid\":100,\"tid\":100,\"ts\":1000.001,\"dur\":1000.010},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":101,\"args\":{\"name\":\"worker\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":100,\"tid\":101,\"args\":{\"sort_index\":1}}\n"
        "],\n\"metadata\":" FACTS ",\n\"otherData\":" FACTS "}\n");
    free(document);
    sink_script_free(script);
}

#define CALL(name, ts, dur)                                                                                            \
    "{\"name\":\"" name "\",\"cat\":\"x\",\"ph\":\"X\",\"pid\":100,\"tid\":100,\"ts\":" ts ",\"dur\":" dur

Test(format_chrome, args_say_what_is_special) {
    struct sink_script *script = new_script();
    sink_script_enter_as(script, sink_script_function(script, "main", "x"), 1, TS_ENTER_INHERITED);
    sink_script_enter(script, "a", "x", 2);
    sink_script_leave_as(script, 3, TS_LEAVE_UNWOUND);
    sink_script_enter(script, "a", "x", 4);
    sink_script_leave_as(script, 5, TS_LEAVE_UNFINISHED);
    sink_script_leave_as(script, 6, TS_LEAVE_UNFINISHED);
    expect_calls(script, CALL("a", "0.002", "0.001") ",\"args\":{\"unwound\":true}}\n" //
                 CALL("a", "0.004", "0.001") ",\"args\":{\"unfinished\":true}}\n" CALL(
                     "main", "0.001", "0.005") ",\"args\":{\"inherited\":true,\"unfinished\":true}}\n");
}

Test(format_chrome, names_are_escaped_and_never_empty) {
    struct sink_script *script = new_script();
    sink_script_call(script, "a\"\\\n\xff", "x", 1, 2);
    sink_script_call(script, "", "x", 3, 4);
    sink_script_call(script, "\xf0\x9f\x98\x80", "x", 5, 6);
    expect_calls(script, CALL("a\\\"\\\\\\u000a\xef\xbf\xbd", "0.001", "0.001") "}\n" //
                 CALL("?", "0.003", "0.001") "}\n"                                    //
                 CALL("\xf0\x9f\x98\x80", "0.005", "0.001") "}\n");
}

Test(format_chrome, a_call_lasts_at_least_a_nanosecond) {
    struct sink_script *script = new_script();
    sink_script_call(script, "a", "x", 7, 7);
    expect_calls(script, CALL("a", "0.007", "0.001") "}\n");
}

Test(format_chrome, long_names_are_cut) {
    struct sink_script *script = new_script();
    char *name = malloc(100001);
    memset(name, '\x01', 100000);
    name[100000] = 0;
    sink_script_call(script, name, name, 1, 2);
    char *document = print(script);
    char *calls = calls_of(document);
    cr_expect_lt(strlen(calls), 2u * 6 * TS_CHROME_NAME_BYTES + 200);
    cr_expect_not_null(strstr(calls, "\\u0001…\",\"cat\""));
    free(calls);
    free(document);
    sink_script_free(script);
    free(name);
}

Test(format_chrome, calls_deeper_than_viewers_draw_are_dropped_and_counted) {
    struct sink_script *script = new_script();
    struct ts_function *function = sink_script_function(script, "f", "x");
    const uint64_t deep = 600;

    for (uint64_t i = 0; i < deep; i++)
        sink_script_enter_as(script, function, i, 0);
    for (uint64_t i = 0; i < deep; i++)
        sink_script_leave(script, 1000 + i);
    sink_script_call(script, "after", "x", 2000, 2001);
    char *document = print(script);
    cr_expect_not_null(strstr(document, "\"calls\":513,\"inherited_calls\":0,\"dropped_deep_calls\":88,"));
    cr_expect_not_null(strstr(document, CALL("f", "0.511", "0.577") "}"));
    cr_expect_null(strstr(document, "\"ts\":0.512"));
    cr_expect_not_null(strstr(document, CALL("after", "2.000", "0.001") "}"));
    free(document);
    sink_script_free(script);
}

Test(format_chrome, short_calls_over_the_limit_are_dropped_and_counted) {
    struct sink_script *script = new_script();
    sink_script_enter(script, "main", "x", 1000);
    sink_script_call(script, "short", "x", 2000, 2050);
    sink_script_call(script, "long", "x", 3000, 3070);
    sink_script_enter(script, "long", "x", 4000);
    sink_script_call(script, "short", "x", 4010, 4060);
    sink_script_leave(script, 4070);
    sink_script_enter(script, "last", "x", 5000);
    sink_script_leave_as(script, 5001, TS_LEAVE_UNFINISHED);
    sink_script_leave(script, 6000);
    char *document = print_longest(script, 4);
    char *calls = calls_of(document);
    cr_expect_str_eq(
        calls, CALL("long", "3.000", "0.070") "}\n" //
        CALL("long", "4.000", "0.070") "}\n"        //
        CALL("last", "5.000", "0.001") ",\"args\":{\"unfinished\":true}}\n" CALL("main", "1.000", "5.000") "}\n");
    static const char statement[] = "\"calls\":4,\"inherited_calls\":0,\"dropped_deep_calls\":0,\"dropped_short_"
                                    "calls\":2,\"dropped_shorter_than_ns\":51,";
    const char *other_data = strstr(document, "\"otherData\"");
    const char *first = strstr(document, statement);
    cr_assert(first && first < other_data, "not in the metadata");
    cr_expect(strstr(other_data, statement), "not in otherData");
    free(calls);
    free(document);
    sink_script_free(script);
}

/* Tracks are rows of their own, with ids that no thread has. */
Test(format_chrome, tracks) {
    struct sink_script *script = new_script();
    struct ts_session *session = sink_script_session(script);
    struct ts_stream *own = session->streams[0];
    sink_script_enter(script, "main", "x", 1);
    struct ts_stream *track = sink_script_stream(script, session->processes[0], 100, "fibers");
    track->track = 2;
    sink_script_enter(script, "fiber", "x", 2);
    sink_script_select(script, own);
    sink_script_leave(script, 3);
    sink_script_select(script, track);
    sink_script_leave(script, 4);
    char *document = print(script);
    cr_expect_not_null(
        strstr(document, "\"thread_name\",\"pid\":100,\"tid\":4194304,\"args\":{\"name\":\"fibers, track 2\"}"));
    cr_expect_not_null(strstr(document, "{\"name\":\"fiber\",\"cat\":\"x\",\"ph\":\"X\",\"pid\":100,\"tid\":4194304,"));
    cr_expect_not_null(strstr(document, CALL("main", "0.001", "0.002") "}"));
    free(document);
    sink_script_free(script);
}

Test(format_chrome, a_full_disk_is_an_error) {
    struct sink_script *script = new_script();
    struct ts_chrome chrome;
    struct ts_error error;
    FILE *out = fopen("/dev/full", "w");

    cr_assert_not_null(out);
    ts_chrome_open(&chrome, sink_script_session(script), out);
    cr_expect_eq(ts_chrome_close(&chrome, &error), -1);
    cr_expect_str_eq(error.text, "cannot write the Chrome trace: No space left on device");
    fclose(out);
    sink_script_free(script);
}

/* Random calls. */

struct random {
    uint64_t state;
};

/* xorshift64* (Vigna 2016) */
static uint32_t next_random(struct random *random, uint32_t below) {
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (uint32_t)((random->state * UINT64_C(0x2545f4914f6cdd1d)) >> 32) % below;
}

#define RANDOM_FUNCTIONS 12

static struct sink_script *random_script(uint64_t seed) {
    static const char *const names[RANDOM_FUNCTIONS] = {"f0", "f1", "f2", "f3", "f4",  "f5",
                                                        "f6", "f7", "f8", "f9", "f10", "f11"};
    struct random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    struct sink_script *script = sink_script_new();
    struct ts_function *functions[RANDOM_FUNCTIONS];

    for (int i = 0; i < RANDOM_FUNCTIONS; i++)
        functions[i] = sink_script_function(script, names[i], "demo");
    uint32_t streams = 1 + next_random(&random, 4);
    for (uint32_t i = 0; i < streams; i++) {
        uint64_t time = next_random(&random, 1000000);
        uint32_t depth = 0;
        sink_script_stream(script, sink_script_process(script, 100 + i / 2, "demo", 0, 1), 100 + i, "");
        for (int k = 0; k < 2000; k++) {
            time += 1 + next_random(&random, next_random(&random, 4) ? 3 : 5000);
            if (depth < TS_CHROME_DEPTH && (depth == 0 || next_random(&random, 100) < 52)) {
                sink_script_enter_as(script, functions[next_random(&random, RANDOM_FUNCTIONS)], time, 0);
                depth++;
            } else {
                sink_script_leave_as(script, time, next_random(&random, 20) ? TS_LEAVE_EXIT : TS_LEAVE_UNWOUND);
                depth--;
            }
        }
        for (; depth > 0; depth--)
            sink_script_leave_as(script, ++time, TS_LEAVE_UNFINISHED);
    }
    return script;
}

struct call {
    char name[8];
    unsigned tid;
    uint64_t start;
    uint64_t end;
    bool unfinished;
};

static uint64_t read_nanoseconds(const char *text, const char *key) {
    uint64_t whole;
    uint64_t decimals;
    const char *at = strstr(text, key);
    cr_assert_not_null(at);
    cr_assert_eq(sscanf(at + strlen(key), "%" SCNu64 ".%3" SCNu64, &whole, &decimals), 2);
    return whole * 1000 + decimals;
}

static size_t read_calls(const char *document, struct call **calls) {
    size_t count = 0;
    char *text = calls_of(document);

    *calls = calloc(strlen(text) / 40 + 1, sizeof **calls);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        struct call *call = &(*calls)[count++];
        cr_assert_eq(sscanf(line, "{\"name\":\"%7[^\"]\"", call->name), 1);
        call->tid = (unsigned)strtoul(strstr(line, "\"tid\":") + 6, NULL, 10);
        call->start = read_nanoseconds(line, "\"ts\":");
        call->end = call->start + read_nanoseconds(line, "\"dur\":");
        call->unfinished = strstr(line, "\"unfinished\":true") != NULL;
    }
    free(text);
    return count;
}

static int compare_calls(const void *left_pointer, const void *right_pointer) {
    const struct call *left = left_pointer;
    const struct call *right = right_pointer;
    if (left->tid != right->tid)
        return left->tid < right->tid ? -1 : 1;
    return left->start < right->start ? -1 : left->start > right->start;
}

/* Of each thread, two calls lie one within the other or apart, and no two events have the same time. */
static void check_nesting(struct call *calls, size_t count) {
    size_t open[TS_CHROME_DEPTH + 1];
    size_t depth = 0;

    qsort(calls, count, sizeof *calls, compare_calls);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && calls[i].tid != calls[i - 1].tid)
            depth = 0;
        while (depth > 0 && calls[open[depth - 1]].end < calls[i].start)
            depth--;
        if (depth > 0) {
            cr_assert_lt(calls[open[depth - 1]].start, calls[i].start);
            cr_assert_lt(calls[i].end, calls[open[depth - 1]].end);
        }
        cr_assert_lt(depth, (size_t)TS_CHROME_DEPTH);
        open[depth++] = i;
    }
}

static uint64_t duration_of(const struct call *call) {
    return call->end - call->start;
}

static bool is_among(const struct call *calls, size_t count, const struct call *wanted) {
    for (size_t i = 0; i < count; i++)
        if (calls[i].tid == wanted->tid && calls[i].start == wanted->start)
            return calls[i].end == wanted->end && strcmp(calls[i].name, wanted->name) == 0;
    return false;
}

Test(format_chrome, the_longest_of_random_calls_nest_and_are_the_longest) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct sink_script *script = random_script(seed);
        struct call *all, *kept;
        uint64_t shortest_kept = UINT64_MAX;
        char *whole = print(script);
        size_t count = read_calls(whole, &all);
        char *cut = print_longest(script, count / 3);
        size_t kept_count = read_calls(cut, &kept);

        cr_assert_eq(kept_count, count / 3);
        check_nesting(kept, kept_count);
        for (size_t i = 0; i < kept_count; i++) {
            cr_assert(is_among(all, count, &kept[i]));
            if (!kept[i].unfinished && duration_of(&kept[i]) < shortest_kept)
                shortest_kept = duration_of(&kept[i]);
        }
        for (size_t i = 0; i < count; i++)
            if (all[i].unfinished || duration_of(&all[i]) > shortest_kept + shortest_kept / 64)
                cr_assert(is_among(kept, kept_count, &all[i]), "seed %" PRIu64, seed);
        free(all);
        free(kept);
        free(whole);
        free(cut);
        sink_script_free(script);
    }
}

Test(format_chrome, random_calls_nest_and_add_up_to_the_report) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sink_script *script = random_script(seed);
        struct ts_call_stats stats = {0};
        struct ts_sink sink = ts_call_stats_sink(&stats);
        struct call *calls;

        sink_script_play(script, &sink);
        char *document = print(script);
        size_t count = read_calls(document, &calls);
        check_nesting(calls, count);
        cr_assert_eq(count, stats.calls, "seed %" PRIu64, seed);
        for (size_t row = 0; row < stats.counts_count; row++) {
            uint64_t number = 0;
            uint64_t time = 0;
            for (size_t i = 0; i < count; i++) {
                if (strcmp(calls[i].name, stats.rows.rows[row].name) == 0) {
                    number++;
                    time += calls[i].end - calls[i].start;
                }
            }
            cr_assert_eq(number, stats.counts[row].calls);
            cr_assert_eq(time, stats.counts[row].durations);
        }
        free(calls);
        free(document);
        ts_call_stats_free(&stats);
        sink_script_free(script);
    }
}
