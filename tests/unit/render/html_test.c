/*
 * What the HTML page is made from: which calls its timeline keeps, and the numbers of its data. Cannot find what the
 * page's own script makes of them.
 */
#include "render/html_data.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Two threads: main 0..100 with two calls of work and one that fails; worker 10..60 with one call. */
static struct sink_script *two_threads(void) {
    struct sink_script *script = sink_script_new();
    struct ts_process *process = sink_script_process(script, 100, "demo", 1000, 1100);
    sink_script_stream(script, process, 100, "");
    sink_script_enter(script, "main", "demo", 1000);
    sink_script_call(script, "work", "demo", 1010, 1030);
    sink_script_call(script, "work", "demo", 1040, 1045);
    sink_script_leave(script, 1100);
    sink_script_stream(script, process, 101, "worker");
    sink_script_call(script, "work", "demo", 1010, 1060);
    return script;
}

struct page {
    struct ts_call_tree tree;
    struct ts_html_timeline timeline;
    char *json;
};

static struct page make(struct sink_script *script, struct ts_longest longest) {
    struct page page = {.timeline = {.longest = longest, .moments_most = 10, .text_bytes_most = 100}};
    struct ts_json_stream json;
    struct ts_error error;
    size_t bytes;
    struct ts_sink sink = ts_call_tree_sink(&page.tree);
    sink_script_play(script, &sink);
    ts_call_tree_sort(&page.tree);
    page.timeline.rows = &page.tree.rows;
    sink = ts_html_timeline_sink(&page.timeline);
    sink_script_play(script, &sink);
    ts_html_timeline_sort(&page.timeline);
    FILE *out = open_memstream(&page.json, &bytes);
    ts_json_stream_open(&json, out);
    ts_html_data_write(sink_script_session(script), &page.tree, &page.timeline, &(struct ts_lines){.files = NULL},
                       "null", &json);
    cr_assert_eq(ts_json_stream_close(&json, "the page", &error), 0);
    fclose(out);
    return page;
}

static void discard(struct page *page, struct sink_script *script) {
    ts_html_timeline_free(&page->timeline);
    ts_call_tree_free(&page->tree);
    free(page->json);
    sink_script_free(script);
}

static void expect_part(const struct page *page, const char *part) {
    cr_expect_not_null(strstr(page->json, part), "no %s in %s", part, page->json);
}

Test(html, functions_count_all_threads) {
    struct sink_script *script = two_threads();
    struct page page = make(script, (struct ts_longest){0});
    /* calls, total, self, durations, minimum, maximum, errors */
    expect_part(&page, "[\"main\",\"demo\",1,100,75,100,100,100,0]");
    expect_part(&page, "[\"work\",\"demo\",3,75,75,75,5,50,0]");
    discard(&page, script);
}

Test(html, of_nested_calls_of_a_function_the_outermost_counts) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 100), 100, "");
    sink_script_enter(script, "down", "demo", 0);
    sink_script_enter(script, "between", "demo", 10);
    sink_script_call(script, "down", "demo", 20, 40);
    sink_script_leave(script, 50);
    sink_script_leave(script, 100);
    struct page page = make(script, (struct ts_longest){0});
    expect_part(&page, "[\"down\",\"demo\",2,100,80,120,20,100,0]");
    discard(&page, script);
}

Test(html, paths_are_merged_and_ordered_by_total) {
    struct sink_script *script = two_threads();
    struct page page = make(script, (struct ts_longest){0});
    /* depth, function, calls, total, self, minimum, maximum, errors */
    expect_part(&page, "\"paths\":[0,0,1,100,75,100,100,0,1,1,2,25,25,5,20,0]");
    expect_part(&page, "\"paths\":[0,1,1,50,50,50,50,0]");
    expect_part(&page, "\"pathsLeftOut\":0");
    discard(&page, script);
}

Test(html, spans_count_from_the_session_s_start) {
    struct sink_script *script = two_threads();
    struct page page = make(script, (struct ts_longest){0});
    /* depth, function, start, duration, flags */
    expect_part(&page, "\"spans\":[0,0,0,100,0,1,1,10,20,0,1,1,40,5,0]");
    expect_part(&page, "\"spans\":[0,1,10,50,0]");
    expect_part(&page, "\"calls\":4,\"spansLeftOut\":0");
    discard(&page, script);
}

Test(html, the_longest_calls_are_kept_and_the_rest_is_counted) {
    struct sink_script *script = two_threads();
    struct page page = make(script, (struct ts_longest){.all_from_ns = 20, .some_from_ns = 20});
    expect_part(&page, "\"spans\":[0,0,0,100,0,1,1,10,20,0]");
    expect_part(&page, "\"spansLeftOut\":1,\"longestLeftOut\":5");
    discard(&page, script);
}

Test(html, a_span_whose_outer_call_is_left_out_moves_up) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    sink_script_enter(script, "outer", "demo", 0);
    sink_script_enter(script, "middle", "demo", 100);
    sink_script_call(script, "inner", "demo", 101, 901);
    sink_script_leave(script, 902);
    sink_script_leave(script, 1000);
    struct page page = make(script, (struct ts_longest){.all_from_ns = 1000, .some_from_ns = 800, .room = 1});
    expect_part(&page, "\"spans\":[0,0,0,1000,0,1,2,101,800,0]");
    discard(&page, script);
}

Test(html, unfinished_and_unwound_calls_are_told) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 100), 100, "");
    sink_script_enter(script, "main", "demo", 0);
    sink_script_enter(script, "jumps", "demo", 10);
    sink_script_leave_as(script, 20, TS_LEAVE_UNWOUND);
    sink_script_leave_as(script, 100, TS_LEAVE_UNFINISHED);
    struct page page = make(script, (struct ts_longest){0});
    expect_part(&page, "\"spans\":[0,0,0,100,2,1,1,10,10,4]");
    discard(&page, script);
}

/* The smallest paths are left out, of equal ones the last; what is kept still counts all of its calls. */
Test(html, the_largest_paths_are_kept) {
    enum { PATHS = TS_HTML_PATHS_MOST + 100 };
    struct sink_script *script = sink_script_new();
    char(*names)[16] = calloc(PATHS, sizeof *names);
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, UINT32_MAX), 100, "");
    sink_script_enter(script, "main", "demo", 0);
    uint64_t at = 1;
    for (unsigned i = 0; i < PATHS; i++, at += 20) {
        snprintf(names[i], sizeof *names, "f%u", i);
        sink_script_call(script, names[i], "demo", at, at + (i % 2 ? 10 : 5));
    }
    sink_script_leave(script, at);
    struct page page = make(script, (struct ts_longest){.all_from_ns = UINT64_MAX, .some_from_ns = UINT64_MAX});
    char part[64];
    snprintf(part, sizeof part, "\"paths\":%d,\"pathsLeftOut\":101", TS_HTML_PATHS_MOST);
    expect_part(&page, part);
    expect_part(&page, "[\"f1\",\"demo\",1,10,10,10,10,10,0]");
    discard(&page, script);
    free(names);
}

/* README: a few MB. */
Test(html, long_names_of_many_functions_are_cut) {
    enum { FUNCTIONS = 12000, LENGTH = 900 };
    struct sink_script *script = sink_script_new();
    char(*names)[LENGTH + 1] = calloc(FUNCTIONS, sizeof *names);
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, UINT32_MAX), 100, "");
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        memset(names[i], 'x', LENGTH);
        names[i][snprintf(names[i], sizeof *names, "f%u", i)] = 'x';
        sink_script_call(script, names[i], "demo", 1 + 20 * (uint64_t)i, 11 + 20 * (uint64_t)i);
    }
    struct page page = make(script, (struct ts_longest){0});
    cr_expect_lt(strlen(page.json), 4000000);
    expect_part(&page, "[\"f11999xxx");
    discard(&page, script);
    free(names);
}

Test(html, no_process_and_no_thread_is_a_page_too) {
    struct sink_script *script = sink_script_new();
    struct page page = make(script, (struct ts_longest){0});
    expect_part(&page, "\"title\":\"no process\"");
    expect_part(&page, "\"threads\":[]");
    discard(&page, script);
}
