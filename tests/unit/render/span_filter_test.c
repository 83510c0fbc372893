/*
 * What the filter between replay and outputs lets pass, as the calls view shows it. Cannot find a command that does not
 * set the filter; e2e/230-filters.sh does.
 */
#include "render/span_filter.h"
#include "render/tree_views.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/*
 * main 0..1000 { load 10..100 { read 20..30, read 40..90 }, work 200..900 { load 300..400 { read 310..320 }, poll
 * 500..501 } }
 */
static struct sink_script *new_script(void) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    sink_script_enter(script, "main", NULL, 0);
    sink_script_enter(script, "load", NULL, 10);
    sink_script_call(script, "read", NULL, 20, 30);
    sink_script_call(script, "read", NULL, 40, 90);
    sink_script_leave(script, 100);
    sink_script_enter(script, "work", NULL, 200);
    sink_script_enter(script, "load", NULL, 300);
    sink_script_call(script, "read", NULL, 310, 320);
    sink_script_leave(script, 400);
    sink_script_call(script, "poll", NULL, 500, 501);
    sink_script_leave(script, 900);
    sink_script_leave(script, 1000);
    return script;
}

static char *print(const struct ts_span_list *list) {
    struct ts_tree_text text;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);
    ts_tree_text_init(&text, out, 0);
    ts_tree_write_calls_view(list, &text);
    fclose(out);
    return memory;
}

static void expect(struct ts_span_filter filter, const char *expected) {
    struct sink_script *script = new_script();
    struct ts_span_list list;
    if (!filter.to_ns)
        filter.to_ns = UINT64_MAX;
    ts_span_list_init(&list, 100);
    struct ts_sink sink = ts_span_list_sink(&list);
    struct ts_filtered *filtered = ts_filtered_new(&filter, sink_script_session(script), &sink);
    struct ts_sink through = ts_filtered_sink(filtered);
    sink_script_play(script, &through);
    char *tree = print(&list);
    cr_expect_str_eq(tree, expected);
    free(tree);
    ts_filtered_free(filtered);
    ts_span_list_free(&list);
    sink_script_free(script);
}

Test(span_filter, nothing_set_lets_everything_pass) {
    expect((struct ts_span_filter){0}, "└── main (1.0 µs)\n"
                                       "    ├── load (90 ns)\n"
                                       "    │   ├── read (10 ns)\n"
                                       "    │   └── read (50 ns)\n"
                                       "    └── work (700 ns)\n"
                                       "        ├── load (100 ns)\n"
                                       "        │   └── read (10 ns)\n"
                                       "        └── poll (1 ns)\n");
}

Test(span_filter, depth) {
    expect((struct ts_span_filter){.depth = 2}, "└── main (1.0 µs)\n"
                                                "    ├── load (90 ns)\n"
                                                "    └── work (700 ns)\n");
    expect((struct ts_span_filter){.depth = 1, .focus = "load"}, "├── load (90 ns)\n"
                                                                 "└── load (100 ns)\n");
}

/* Exactly as long passes. */
Test(span_filter, min) {
    expect((struct ts_span_filter){.min_ns = 50}, "└── main (1.0 µs)\n"
                                                  "    ├── load (90 ns)\n"
                                                  "    │   └── read (50 ns)\n"
                                                  "    └── work (700 ns)\n"
                                                  "        └── load (100 ns)\n");
    expect((struct ts_span_filter){.min_ns = 2000}, "(no spans)\n");
}

Test(span_filter, focus_and_callers) {
    expect((struct ts_span_filter){.focus = "work"}, "└── work (700 ns)\n"
                                                     "    ├── load (100 ns)\n"
                                                     "    │   └── read (10 ns)\n"
                                                     "    └── poll (1 ns)\n");
    expect((struct ts_span_filter){.callers = "load"}, "└── main (1.0 µs)\n"
                                                       "    ├── load (90 ns)\n"
                                                       "    └── work (700 ns)\n"
                                                       "        └── load (100 ns)\n");
    expect((struct ts_span_filter){.callers = "re*", .min_ns = 20}, "└── main (1.0 µs)\n"
                                                                    "    └── load (90 ns)\n"
                                                                    "        └── read (50 ns)\n");
    expect((struct ts_span_filter){.focus = "work", .callers = "read"}, "└── work (700 ns)\n"
                                                                        "    └── load (100 ns)\n"
                                                                        "        └── read (10 ns)\n");
}

/* What runs in that time, cut to it. What ends where it begins, or begins where it ends, is in the time beside it. */
Test(span_filter, time_cuts_calls) {
    expect((struct ts_span_filter){.from_ns = 45, .to_ns = 300}, "└── main (256 ns) [cut_start=True, cut_end=True]\n"
                                                                 "    ├── load (54 ns) [cut_start=True]\n"
                                                                 "    │   └── read (43 ns) [cut_start=True]\n"
                                                                 "    └── work (100 ns) [cut_end=True]\n");
    expect((struct ts_span_filter){.from_ns = 100, .to_ns = 200}, "└── main (100 ns) [cut_start=True, cut_end=True]\n");
    expect((struct ts_span_filter){.from_ns = 99, .to_ns = 201}, "└── main (103 ns) [cut_start=True, cut_end=True]\n"
                                                                 "    ├── load (1 ns) [cut_start=True]\n"
                                                                 "    └── work (1 ns) [cut_end=True]\n");
    expect((struct ts_span_filter){.from_ns = 950}, "└── main (50 ns) [cut_start=True]\n");
    expect((struct ts_span_filter){.from_ns = 2000, .to_ns = 3000}, "(no spans)\n");
}

/* In the order in which they end, each with its caller. */
Test(span_filter, alone) {
    expect((struct ts_span_filter){.alone = true, .min_ns = 90}, "├── load (90 ns) [in='main']\n"
                                                                 "├── load (100 ns) [in='work']\n"
                                                                 "├── work (700 ns) [in='main']\n"
                                                                 "└── main (1.0 µs)\n");
    expect((struct ts_span_filter){.alone = true, .ended_from_ns = 900}, "├── work (700 ns) [in='main']\n"
                                                                         "└── main (1.0 µs)\n");
}

/* Attributes and failures of calls that were pending arrive complete and in order. */
Test(span_filter, errors_keep_what_surrounds_them) {
    static const struct ts_value items[] = {{.kind = TS_VALUE_STRING, .string = "a"},
                                            {.kind = TS_VALUE_INTEGER, .integer = 7},
                                            {.kind = TS_VALUE_WORD, .string = "B"}};
    const struct ts_span_filter filter = {.errors = true, .to_ns = UINT64_MAX};
    const struct ts_failure failure = {.name = "ENOENT"};
    struct sink_script *script = sink_script_new();
    struct ts_span_list list;
    char volatile_text[] = "outer";
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    ts_span_list_init(&list, 100);
    struct ts_sink sink = ts_span_list_sink(&list);
    struct ts_filtered *filtered = ts_filtered_new(&filter, sink_script_session(script), &sink);
    struct ts_sink through = ts_filtered_sink(filtered);

    sink_script_enter(script, "main", NULL, 0);
    sink_script_play_new(script, &through);
    through.attribute(through.context,
                      &(struct ts_attribute){"name", {.kind = TS_VALUE_STRING, .string = volatile_text}});
    volatile_text[0] = 'X';
    sink_script_enter(script, "close", NULL, 5);
    sink_script_play_new(script, &through);
    through.attribute(through.context, &(struct ts_attribute){"fd", {.kind = TS_VALUE_INTEGER, .integer = 3}});
    sink_script_leave(script, 6);
    sink_script_enter(script, "open", NULL, 10);
    sink_script_play_new(script, &through);
    through.attribute(through.context, &(struct ts_attribute){"l", {.kind = TS_VALUE_LIST, .list = {items, 3}}});
    through.attribute(through.context, &(struct ts_attribute){"path", {.kind = TS_VALUE_STRING, .string = "/x"}});
    through.failure(through.context, &failure);
    sink_script_leave(script, 20);
    sink_script_play_new(script, &through);
    through.attribute(through.context, &(struct ts_attribute){"result", {.kind = TS_VALUE_INTEGER, .integer = 1}});
    sink_script_leave(script, 30);
    sink_script_play_new(script, &through);

    char *tree = print(&list);
    cr_expect_str_eq(tree, "└── main (30 ns) [name='outer', result=1]\n"
                           "    └── open (10 ns) [ERROR] [l=['a', 7, B], path='/x', error='ENOENT']\n");
    free(tree);
    through.finish(through.context, sink_script_session(script)->streams[0]);
    ts_filtered_free(filtered);
    ts_span_list_free(&list);
    sink_script_free(script);
}

Test(span_filter, threads_and_processes) {
    struct sink_script *script = sink_script_new();
    struct ts_process *process = sink_script_process(script, 100, "demo", 0, 10);
    const struct ts_stream *first = sink_script_stream(script, process, 100, "");
    const struct ts_stream *worker = sink_script_stream(script, process, 101, "worker-1");
    const struct {
        struct ts_span_filter filter;
        bool first, worker;
    } cases[] = {{{.thread = "worker-1"}, false, true}, {{.thread = "worker*"}, false, true},
                 {{.thread = "100"}, true, false},      {{.thread = "demo"}, true, false},
                 {{.process = "100"}, true, true},      {{.process = "d?mo"}, true, true},
                 {{.process = "other"}, false, false},  {{.process = "demo", .thread = "101"}, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(ts_span_filter_wants(&cases[i].filter, first), cases[i].first, "case %zu", i);
        cr_expect_eq(ts_span_filter_wants(&cases[i].filter, worker), cases[i].worker, "case %zu", i);
    }
    sink_script_free(script);
}

/* Of calls that are shown each looks for callers that are not yet: not among all of them every time. */
Test(span_filter, many_matches_at_a_great_depth, .timeout = 10) {
    enum { DEPTH = 200000, CALLS = 200000 };
    struct ts_span_filter filter = {.min_ns = 5, .to_ns = UINT64_MAX};
    struct sink_script *script = sink_script_new();
    struct ts_span_list list;
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1), 100, "");
    struct ts_function *function = sink_script_function(script, "down", NULL);
    uint64_t ns = 0;
    for (size_t i = 0; i < DEPTH; i++)
        sink_script_enter_as(script, function, ++ns, 0);
    for (size_t i = 0; i < CALLS; i++) {
        sink_script_enter_as(script, function, ++ns, 0);
        sink_script_leave(script, ns += 10);
    }
    for (size_t i = 0; i < DEPTH; i++)
        sink_script_leave(script, ++ns);
    ts_span_list_init(&list, TS_SPAN_LIST_MOST);
    struct ts_sink sink = ts_span_list_sink(&list);
    struct ts_filtered *filtered = ts_filtered_new(&filter, sink_script_session(script), &sink);
    struct ts_sink through = ts_filtered_sink(filtered);
    sink_script_play(script, &through);
    cr_expect_eq(ts_span_list_total(&list), (uint64_t)DEPTH + CALLS);
    ts_filtered_free(filtered);
    ts_span_list_free(&list);
    sink_script_free(script);
}
