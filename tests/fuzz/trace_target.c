/*
 * The whole renderer over one trace file, given as pieces (fuzz.h): it is opened, and every view of it is written.
 * Outputs must be safe to show, and JSON must be JSON. Cannot find: a wrong text that is a text.
 */
#include "render/diff.h"
#include "render/dump.h"
#include "render/formats.h"
#include "render/info.h"
#include "render/info_json.h"
#include "render/lines.h"
#include "render/report.h"
#include "render/span_filter.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

typedef void check_text(const char *what, const char *text, size_t bytes);

struct view {
    struct ts_session *session;
    struct fuzz_output output;
};

static FILE *begin(struct view *view) {
    fuzz_output_open(&view->output);
    return view->output.stream;
}

static void end(struct view *view, const char *what, int result, check_text *check) {
    char *text = fuzz_output_text(&view->output);
    if (result != 0)
        abort(); /* memory takes every write */
    check(what, text, view->output.count);
    free(text);
}

static void write_tree(struct view *view, enum ts_tree_view tree) {
    struct ts_format_options options = {.view = tree};
    struct ts_error error;
    FILE *out = begin(view);
    end(view, "tree", ts_format_tree(view->session, &options, out, &error), fuzz_check_text);
}

static void write_report(struct view *view, enum ts_report_layout layout, enum ts_report_sort sort) {
    struct ts_report_options options = {
        .layout = layout, .sort = sort, .sites = sort == TS_REPORT_CALLS, .columns = {{TS_COLUMN_DEVIATION}, 0}};
    struct ts_error error;
    options.columns.count = sort == TS_REPORT_DEVIATION;
    FILE *out = begin(view);
    end(view, "report", ts_report_write(view->session, &options, out, &error),
        layout == TS_REPORT_JSON ? fuzz_check_json : fuzz_check_text);
}

static void write_format(struct view *view, const char *name, uint64_t max_calls, check_text *check) {
    struct ts_format_cut cut = {.calls = 0};
    struct ts_format_options options = {.max_calls = max_calls, .cut = &cut};
    struct ts_error error;
    FILE *out = begin(view);
    end(view, name, ts_formats_find(name)->write(view->session, &options, out, &error), check);
}

/* Protobuf is no text: tests/check_perfetto.py reads it. */
static void check_nothing(const char *what, const char *text, size_t bytes) {
    (void)what;
    (void)text;
    (void)bytes;
}

static void write_info(struct view *view) {
    struct ts_error error;
    FILE *out = begin(view);
    int result = ts_info_write(view->session, out, &error);
    end(view, "info", result, fuzz_check_text);
    out = begin(view);
    ts_info_write_summary(view->session, out);
    end(view, "summary", 0, fuzz_check_text);
    out = begin(view);
    end(view, "dump", ts_dump_write(view->session, out, &error), fuzz_check_text);
}

static void write_lines(struct view *view, ts_lines_write *write, check_text *check) {
    struct ts_lines lines = {.files = NULL};
    struct ts_error error;
    if (ts_lines_find(&lines, view->session, &error) == 0) {
        FILE *out = begin(view);
        end(view, "lines", write(&lines, out, &error), check);
    }
    ts_lines_free(&lines);
}

static void write_diff(struct view *view) {
    struct ts_call_stats stats = {.with_squares = true};
    struct ts_sink sink = ts_call_stats_sink(&stats);
    struct ts_diff_side side = {"fuzz", &stats};
    struct ts_error error;
    ts_replay(view->session, &sink, NULL);
    FILE *out = begin(view);
    end(view, "diff", ts_diff_write(&side, &side, 0, false, out, &error), fuzz_check_text);
    ts_call_stats_free(&stats);
}

/* Calls that an input chooses, and views in which what is left out matters. */
static void write_filtered(struct view *view, size_t size) {
    const struct ts_span_filter filter = {.depth = size % 5,
                                          .min_ns = size % 3,
                                          .from_ns = size % 1000,
                                          .to_ns = size % 4 ? UINT64_MAX : size,
                                          .errors = size % 7 == 0,
                                          .alone = size % 11 == 0};
    view->session->filter = &filter;
    write_tree(view, TS_TREE_CALLS);
    write_report(view, TS_REPORT_TEXT, TS_REPORT_CALLS);
    write_format(view, "callgrind", 0, fuzz_check_text);
    write_format(view, "jsonl", 0, fuzz_check_text);
    view->session->filter = NULL;
}

static void write_info_json(struct view *view) {
    struct ts_error error;
    FILE *out = begin(view);
    end(view, "certificate", ts_info_write_json(view->session, out, &error), fuzz_check_json);
}

/* Each input has a part of the views, by its bytes: so many times as many inputs. */
static unsigned choose(const uint8_t *data, size_t size) {
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return sum % 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ts_error error;
    struct view view = {.session = ts_session_open(fuzz_sparse_file(data, size), &error)};
    if (!view.session)
        return 0;
    switch (choose(data, size)) {
    case 0:
        write_tree(&view, TS_TREE_CALLS);
        write_format(&view, "chrome", 0, fuzz_check_json);
        write_format(&view, "perfetto", 0, check_nothing);
        write_report(&view, TS_REPORT_CSV, TS_REPORT_NAME);
        break;
    case 1:
        write_tree(&view, TS_TREE_MERGED);
        write_report(&view, TS_REPORT_JSON, TS_REPORT_ERRORS);
        write_info(&view);
        write_format(&view, "speedscope", 0, fuzz_check_json);
        write_format(&view, "folded", 0, fuzz_check_text);
        break;
    case 2:
        write_info_json(&view);
        write_lines(&view, ts_lines_write_text, fuzz_check_text);
        write_lines(&view, ts_lines_write_json, fuzz_check_json);
        write_lines(&view, ts_lines_write_lcov, fuzz_check_text);
        write_format(&view, "html", 0, fuzz_check_text);
        write_diff(&view);
        write_report(&view, TS_REPORT_JSON, TS_REPORT_DEVIATION);
        write_filtered(&view, size);
        break;
    default:
        write_report(&view, TS_REPORT_TEXT, TS_REPORT_TOTAL);
        write_format(&view, "chrome", 5, fuzz_check_json);
        write_format(&view, "speedscope", 5, fuzz_check_json);
        write_format(&view, "callgrind", 0, fuzz_check_text);
        write_format(&view, "dot", 0, fuzz_check_text);
        write_format(&view, "jsonl", 0, fuzz_check_text);
        write_format(&view, "otlp", 5, fuzz_check_text);
        break;
    }
    ts_session_close(view.session);
    return 0;
}
