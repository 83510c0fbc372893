/*
 * The text tree, grammar version 1, byte by byte. Finds any change of layout; not whether the recorder saw the calls.
 */
#include "render/tree_views.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH UINT64_C(1000000000000000000)

static struct sink_script *new_script(void) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    return script;
}

static char *print_calls(const struct ts_span_list *list, uint64_t max_lines) {
    struct ts_tree_text text;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    ts_tree_text_init(&text, out, max_lines);
    ts_tree_write_calls_view(list, &text);
    fclose(out);
    return memory;
}

/* Plays the script (and frees it) and compares the calls view. */
static void expect_calls(struct sink_script *script, uint64_t max_lines, const char *expected) {
    struct ts_span_list list;

    ts_span_list_init(&list, max_lines ? max_lines : 1000);
    struct ts_sink sink = ts_span_list_sink(&list);
    sink_script_play(script, &sink);
    char *tree = print_calls(&list, max_lines);
    cr_expect_str_eq(tree, expected);
    free(tree);
    ts_span_list_free(&list);
    sink_script_free(script);
}

static void expect_merged(struct sink_script *script, uint64_t max_lines, const char *expected) {
    struct ts_call_tree calls = {0};
    struct ts_tree_text text;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    struct ts_sink sink = ts_call_tree_sink(&calls);
    sink_script_play(script, &sink);
    ts_tree_text_init(&text, out, max_lines);
    ts_tree_write_merged_view(&calls, &text);
    fclose(out);
    cr_expect_str_eq(memory, expected);
    free(memory);
    ts_call_tree_free(&calls);
    sink_script_free(script);
}

static void add(struct ts_span_list *list, const char *key, struct ts_value value) {
    ts_span_list_add_attribute(list, &(struct ts_attribute){key, value});
}

/* The golden vector of BEHAVIOURS 3. */
Test(format_tree, golden_vector) {
    static const struct ts_value letters[] = {{.kind = TS_VALUE_STRING, .string = "a"},
                                              {.kind = TS_VALUE_STRING, .string = "b"}};
    struct sink_script *script = new_script();
    struct ts_span_list list;
    ts_span_list_init(&list, 200);
    struct ts_sink sink = ts_span_list_sink(&list);

    sink_script_enter(script, "main", "app", EPOCH);
    sink_script_enter(script, "open", "libc.so.6", EPOCH + 1000);
    sink_script_play_new(script, &sink);
    ts_span_list_set_error(&list);
    add(&list, "path", (struct ts_value){.kind = TS_VALUE_STRING, .string = "/x"});
    sink_script_leave(script, EPOCH + 1500);
    sink_script_enter(script, "read", NULL, EPOCH + 2000000);
    sink_script_play_new(script, &sink);
    add(&list, "n", (struct ts_value){.kind = TS_VALUE_INTEGER, .integer = 42});
    add(&list, "ok", (struct ts_value){.kind = TS_VALUE_BOOLEAN, .boolean = true});
    add(&list, "r", (struct ts_value){.kind = TS_VALUE_REAL, .real = 1.5});
    add(&list, "l", (struct ts_value){.kind = TS_VALUE_LIST, .list = {letters, 2}});
    sink_script_enter(script, "lock", NULL, EPOCH + 2100000);
    sink_script_leave_as(script, EPOCH + 2100000, TS_LEAVE_UNFINISHED);
    sink_script_play_new(script, &sink);
    add(&list, "q", (struct ts_value){.kind = TS_VALUE_STRING, .string = "it's"});
    sink_script_leave(script, EPOCH + 3000000);
    sink_script_call(script, "edge1", NULL, EPOCH + 4000000, EPOCH + 4000000 + 999999999);
    sink_script_call(script, "edge2", NULL, EPOCH + 5000000, EPOCH + 5000000 + 999960);
    sink_script_call(script, "zero", NULL, EPOCH + 6000000, EPOCH + 6000000);
    sink_script_leave(script, EPOCH + 1500000000);
    sink_script_call(script, "orphan", NULL, EPOCH + 5000, EPOCH + 5100);
    sink_script_play_new(script, &sink);

    char *tree = print_calls(&list, 0);
    cr_expect_str_eq(tree, "├── main (1.50 s) {app}\n"
                           "│   ├── open (500 ns) {libc.so.6} [ERROR] [path='/x']\n"
                           "│   ├── read (1.00 ms) [n=42, ok=True, r=1.5, l=['a', 'b'], q=\"it's\"]\n"
                           "│   │   └── lock (unfinished, >= 0 ns)\n"
                           "│   ├── edge1 (1.00 s)\n"
                           "│   ├── edge2 (1.00 ms)\n"
                           "│   └── zero (0 ns)\n"
                           "└── orphan (100 ns)\n");
    free(tree);
    ts_span_list_free(&list);
    sink_script_free(script);
}

Test(format_tree, nothing_at_all) {
    expect_calls(sink_script_new(), 0, "(no spans)\n");
    expect_merged(sink_script_new(), 0, "(no spans)\n");
    expect_calls(new_script(), 0, "(no spans)\n"); /* a thread without calls */
    expect_merged(new_script(), 0, "(no spans)\n");
}

Test(format_tree, values) {
    static const struct {
        struct ts_value value;
        const char *text;
    } values[] = {
        {{.kind = TS_VALUE_INTEGER, .integer = INT64_MIN}, "k=-9223372036854775808"},
        {{.kind = TS_VALUE_BOOLEAN, .boolean = false}, "k=False"},
        {{.kind = TS_VALUE_REAL, .real = 0.1}, "k=0.1"},
        {{.kind = TS_VALUE_REAL, .real = -2}, "k=-2.0"},
        {{.kind = TS_VALUE_REAL, .real = 100}, "k=100.0"},
        {{.kind = TS_VALUE_REAL, .real = 1e22}, "k=1e+22"},
        {{.kind = TS_VALUE_REAL, .real = 1.0 / 3}, "k=0.3333333333333333"},
        {{.kind = TS_VALUE_REAL, .real = __builtin_inf()}, "k=inf"},
        {{.kind = TS_VALUE_REAL, .real = 0}, "k=0.0"},
        {{.kind = TS_VALUE_LIST, .list = {NULL, 0}}, "k=[]"},
        {{.kind = TS_VALUE_DURATION, .duration_ns = 1500}, "k=1.5 µs"},
        {{.kind = TS_VALUE_STRING, .string = ""}, "k=''"},
        {{.kind = TS_VALUE_STRING, .string = "a\\b"}, "k='a\\\\b'"},
        {{.kind = TS_VALUE_STRING, .string = "say \"it's\""}, "k=\"say \\\"it's\\\"\""},
        {{.kind = TS_VALUE_STRING, .string = "\n\t\r\x1b[31m\x7f"}, "k='\\n\\t\\r\\x1b[31m\\x7f'"},
        {{.kind = TS_VALUE_STRING, .string = "é\xff\xc2\x9b"}, "k='é\\xff\\x9b'"},
        {{.kind = TS_VALUE_STRING, .string = "\xe2\x80\xae"}, "k='\\u202e'"},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *memory;
        size_t bytes;
        FILE *out = open_memstream(&memory, &bytes);
        ts_attribute_write_text(&(struct ts_attribute){"k", values[i].value}, out);
        fclose(out);
        cr_expect_str_eq(memory, values[i].text);
        free(memory);
    }
}

/* A name that tries to leave its line or to command the terminal. */
Test(format_tree, hostile_names) {
    struct sink_script *script = new_script();
    sink_script_call(script, "evil\n└── fake\x1b[2J\xff\xc2\x9b", "lib\r.so", 0, 5);
    expect_calls(script, 0, "└── evil\\n└── fake\\x1b[2J\\xff\\x9b (5 ns) {lib\\r.so}\n");
}

Test(format_tree, unwound_inherited_and_unfinished) {
    struct sink_script *script = new_script();
    sink_script_enter_as(script, sink_script_function(script, "main", "demo"), 0, TS_ENTER_INHERITED);
    sink_script_enter(script, "a", "demo", 10);
    sink_script_leave_as(script, 20, TS_LEAVE_UNWOUND);
    sink_script_enter(script, "a", "demo", 30);
    sink_script_leave_as(script, 90, TS_LEAVE_UNFINISHED);
    sink_script_leave_as(script, 91, TS_LEAVE_UNFINISHED);
    expect_calls(script, 0,
                 "└── main (unfinished, >= 91 ns) {demo} [inherited=True]\n"
                 "    ├── a (10 ns) {demo} [unwound=True]\n"
                 "    └── a (unfinished, >= 60 ns) {demo}\n");
}

Test(format_tree, merged_counts) {
    struct sink_script *script = new_script();
    sink_script_enter_as(script, sink_script_function(script, "main", "demo"), 0, TS_ENTER_INHERITED);
    sink_script_enter(script, "a", "demo", 10);
    sink_script_leave_as(script, 20, TS_LEAVE_UNWOUND);
    sink_script_call(script, "b", "demo", 21, 24);
    sink_script_enter(script, "a", "demo", 30);
    sink_script_leave_as(script, 90, TS_LEAVE_UNFINISHED);
    sink_script_leave_as(script, 100, TS_LEAVE_UNFINISHED);
    expect_merged(script, 0,
                  "└── main (100 ns) {demo} [calls=0, self=27 ns, inherited=1, unfinished=1]\n"
                  "    ├── a (70 ns) {demo} [calls=2, self=70 ns, avg=35 ns, max=60 ns, unfinished=1, unwound=1]\n"
                  "    └── b (3 ns) {demo} [calls=1, self=3 ns, avg=3 ns, max=3 ns]\n");
}

/* 0.5 % of the parent is shown, less is folded; without a parent nothing folds. */
Test(format_tree, merged_folds_small_rows) {
    struct sink_script *script = new_script();
    sink_script_enter(script, "main", NULL, 0);
    sink_script_call(script, "half", NULL, 1000, 1005);
    sink_script_call(script, "less", NULL, 1010, 1014);
    sink_script_enter(script, "least", NULL, 1020);
    sink_script_call(script, "inside", NULL, 1021, 1022);
    sink_script_leave(script, 1023);
    sink_script_call(script, "most", NULL, 1100, 1200);
    sink_script_leave(script, 1000 + 0);
    sink_script_call(script, "tiny", NULL, 2000, 2001);
    expect_merged(script, 0,
                  "├── main (1.0 µs) [calls=1, self=888 ns, avg=1.0 µs, max=1.0 µs]\n"
                  "│   ├── most (100 ns) [calls=1, self=100 ns, avg=100 ns, max=100 ns]\n"
                  "│   ├── half (5 ns) [calls=1, self=5 ns, avg=5 ns, max=5 ns]\n"
                  "│   └── … 2 more\n"
                  "└── tiny (1 ns) [calls=1, self=1 ns, avg=1 ns, max=1 ns]\n");
}

static void add_call(struct sink_script *script, const char *name) {
    sink_script_call(script, name, NULL, 100, 200);
}

Test(format_tree, processes_and_threads) {
    struct sink_script *script = sink_script_new();
    struct ts_process *first = sink_script_process(script, 100, "sh", 0, 2000);
    sink_script_stream(script, first, 100, "");
    add_call(script, "main");
    sink_script_stream(script, first, 101, "worker")->end_ns = 1500;
    add_call(script, "work");
    sink_script_stream(script, first, 102, "idle"); /* without calls: not shown */
    struct ts_stream *track = sink_script_stream(script, first, 101, "worker");
    track->track = 1;
    add_call(script, "fiber");
    sink_script_stream(script, sink_script_process(script, 150, "silent", 0, 10), 150, "");
    struct ts_process *second = sink_script_process(script, 200, "ls", 500, 1000);
    second->end_reason = 1;
    second->end_status = 2;
    second->mpi_rank = 0;
    second->mpi_size = 4;
    sink_script_stream(script, second, 200, "");
    sink_script_outer_unknown(script, 3);
    add_call(script, "main");
    expect_calls(script, 0,
                 "├── sh (2.0 µs) [pid=100]\n"
                 "│   ├── sh (2.0 µs) [tid=100]\n"
                 "│   │   └── main (100 ns)\n"
                 "│   ├── worker (1.5 µs) [tid=101]\n"
                 "│   │   └── work (100 ns)\n"
                 "│   └── worker (2.0 µs) [tid=101, track=1]\n"
                 "│       └── fiber (100 ns)\n"
                 "└── ls (500 ns) [ERROR] [pid=200, mpi.rank=0, mpi.size=4, outer_unknown=3]\n"
                 "    └── main (100 ns)\n");
}

/* Rows directly below a process are folded against its time. */
Test(format_tree, merged_processes) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 1, "long", 0, 100000), 1, "");
    add_call(script, "f");
    sink_script_stream(script, sink_script_process(script, 2, "short", 0, 10000), 2, "");
    add_call(script, "f");
    expect_merged(script, 0,
                  "├── long (100.0 µs) [pid=1]\n"
                  "│   └── … 1 more\n"
                  "└── short (10.0 µs) [pid=2]\n"
                  "    └── f (100 ns) [calls=1, self=100 ns, avg=100 ns, max=100 ns]\n");
}

Test(format_tree, one_line_for_a_lone_thread_with_unknown_callers) {
    struct sink_script *script = new_script();
    sink_script_outer_unknown(script, 7);
    add_call(script, "f");
    expect_calls(script, 0,
                 "└── demo (1.0 µs) [pid=100, outer_unknown=7]\n"
                 "    └── f (100 ns)\n");
}

/* Markers tell of siblings that the limit leaves out, and the cut is counted, also over streams. */
Test(format_tree, max_lines) {
    struct sink_script *script = sink_script_new();
    struct ts_process *process = sink_script_process(script, 1, "demo", 0, 1000);
    sink_script_stream(script, process, 1, "one");
    sink_script_enter(script, "main", NULL, 0);
    for (int i = 0; i < 5; i++)
        add_call(script, "f");
    sink_script_leave(script, 900);
    sink_script_stream(script, process, 2, "two");
    for (int i = 0; i < 4; i++)
        add_call(script, "g");
    expect_calls(script, 4,
                 "└── demo (1.0 µs) [pid=1]\n"
                 "    ├── one (1.0 µs) [tid=1]\n"
                 "    │   └── main (900 ns)\n"
                 "    │       ├── f (100 ns)\n"
                 "… 9 more lines\n");

    script = new_script();
    sink_script_enter(script, "main", NULL, 0);
    add_call(script, "f");
    add_call(script, "g");
    sink_script_leave(script, 500);
    expect_merged(script, 2,
                  "└── main (500 ns) [calls=1, self=300 ns, avg=500 ns, max=500 ns]\n"
                  "    ├── f (100 ns) [calls=1, self=100 ns, avg=100 ns, max=100 ns]\n"
                  "… 1 more lines\n");
}

/* Depth 64 has the longest prefix; below it the row says its depth. */
Test(format_tree, deep) {
    struct sink_script *script = new_script();
    struct ts_span_list list;
    struct ts_function *function = sink_script_function(script, "f", NULL);
    const uint64_t deep = 100000;

    for (uint64_t i = 0; i < deep; i++)
        sink_script_enter_as(script, function, i, 0);
    for (uint64_t i = 0; i < deep; i++)
        sink_script_leave(script, deep + i);
    ts_span_list_init(&list, SIZE_MAX);
    struct ts_sink sink = ts_span_list_sink(&list);
    sink_script_play(script, &sink);
    char *tree = print_calls(&list, 67);

    char *line = tree;
    for (size_t depth = 0; depth < 67; depth++) {
        char expected[64];
        size_t indent = (depth < 64 ? depth : 64) * 4;
        uint64_t ns = 2 * (deep - depth) - 1;
        if (depth > 64)
            snprintf(expected, sizeof expected, "└── [depth %zu] f (%.1f µs)\n", depth, (double)ns / 1000);
        else
            snprintf(expected, sizeof expected, "└── f (%.1f µs)\n", (double)ns / 1000);
        cr_assert_eq(strspn(line, " "), indent);
        cr_assert_eq(strncmp(line + indent, expected, strlen(expected)), 0, "%.300s", line);
        line += indent + strlen(expected);
    }
    cr_expect_str_eq(line, "… 99933 more lines\n");
    free(tree);
    ts_span_list_free(&list);
    sink_script_free(script);
}

Test(format_tree, list_tells_when_it_is_full) {
    struct sink_script *script = new_script();
    struct ts_span_list list;

    for (int i = 0; i < 200; i++)
        add_call(script, "f");
    ts_span_list_init(&list, 200);
    struct ts_sink sink = ts_span_list_sink(&list);
    sink_script_play_new(script, &sink);
    cr_expect_eq(list.overflow, 0);
    add_call(script, "f");
    sink_script_play_new(script, &sink);
    cr_expect_eq(list.overflow, 1);
    cr_expect_eq(ts_span_list_total(&list), 201u);
    ts_span_list_free(&list);
    sink_script_free(script);
}

/* The bound is the session's, not each thread's. */
Test(format_tree, list_keeps_less_of_a_later_thread) {
    struct sink_script *script = new_script();
    struct ts_span_list list;
    struct ts_stream *first = sink_script_session(script)->streams[0];

    ts_span_list_init(&list, 10);
    struct ts_sink sink = ts_span_list_sink(&list);
    for (int i = 0; i < 8; i++)
        add_call(script, "f");
    sink_script_play_new(script, &sink);
    sink.finish(sink.context, first);
    sink_script_stream(script, first->process, 101, "");
    for (int i = 0; i < 8; i++)
        add_call(script, "g");
    sink_script_play_new(script, &sink);
    cr_expect_eq(list.streams[0]->count, 8u);
    cr_expect_eq(list.streams[1]->count, 2u);
    cr_expect_eq(ts_span_list_total(&list), 16u);
    ts_span_list_free(&list);
    sink_script_free(script);
}

/* A first look has the longest paths in so many lines, and folds what is not worth one. */
Test(format_tree, longest_paths) {
    struct ts_call_tree calls = {0};
    struct ts_tree_text text;
    struct sink_script *script = sink_script_new();
    char *memory;
    size_t bytes;
    for (uint32_t pid = 100; pid < 110; pid++) {
        uint64_t end = pid == 104 ? 5000 : pid == 107 ? 9000 : 300;
        sink_script_stream(script, sink_script_process(script, pid, "cc", 0, end), pid, "");
        sink_script_enter(script, "main", "cc", 0);
        sink_script_call(script, "parse", "cc", 10, end / 2);
        sink_script_call(script, "emit", "cc", end / 2 + 1, end / 2 + 20);
        sink_script_leave(script, end);
    }
    struct ts_sink sink = ts_call_tree_sink(&calls);
    sink_script_play(script, &sink);
    for (uint64_t most = 8; most <= 40; most += 32) {
        FILE *out = open_memstream(&memory, &bytes);
        ts_tree_text_init(&text, out, 0);
        ts_tree_write_longest_paths(&calls, most == 8 ? 0 : 3000, most, &text);
        fclose(out);
        if (most == 8)
            cr_expect_str_eq(memory, "├── cc (5.0 µs) [pid=104]\n"
                                     "│   └── main (5.0 µs) {cc} [calls=1, self=2.5 µs, avg=5.0 µs, max=5.0 µs]\n"
                                     "│       └── … 2 more\n"
                                     "├── cc (9.0 µs) [pid=107]\n"
                                     "│   └── main (9.0 µs) {cc} [calls=1, self=4.5 µs, avg=9.0 µs, max=9.0 µs]\n"
                                     "│       ├── parse (4.5 µs) {cc} [calls=1, self=4.5 µs, avg=4.5 µs, max=4.5 µs]\n"
                                     "│       └── … 1 more\n"
                                     "└── … 8 more\n");
        cr_expect_eq(text.lines, 8, "at most %lu: %lu lines", most, text.lines);
        free(memory);
    }
    ts_call_tree_free(&calls);
    sink_script_free(script);
}
