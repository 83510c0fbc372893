#include "render/report_layout.h"

#include "render/duration_text.h"
#include "render/json_stream.h"
#include "render/paint.h"
#include "render/text_escape.h"
#include "render/written.h"

#include <inttypes.h>
#include <string.h>

struct widths {
    int columns[TS_COLUMN_COUNT];
};

static struct ts_duration_text value_text(const struct ts_report_line *line, enum ts_report_column column) {
    uint64_t value = ts_report_column_value(line->count, column);
    if (ts_report_column_names[column].is_duration)
        return ts_duration_token(value);
    struct ts_duration_text text;
    snprintf(text.text, sizeof text.text, "%" PRIu64, value);
    return text;
}

static struct widths measure(const struct ts_report_table *table) {
    struct widths widths = {{0}};

    for (size_t i = 0; i < table->columns.count; i++) {
        enum ts_report_column column = table->columns.columns[i];
        int width = (int)strlen(ts_report_column_names[column].text) + (i == 0 ? (int)strlen("# ") : 0);
        for (size_t l = 0; l < table->shown; l++) {
            struct ts_duration_text text = value_text(&table->lines[l], column);
            int columns = ts_duration_columns(&text);
            width = width < columns ? columns : width;
        }
        widths.columns[i] = width;
    }
    return widths;
}

static void write_header(const struct ts_report_table *table, const struct widths *widths, FILE *out) {
    const struct ts_call_stats *stats = table->stats;

    fprintf(out, "# %" PRIu64 " calls of %zu %s, %s, by %s\n", stats->calls, table->count,
            table->sites ? "functions and the places that call them" : "functions",
            table->filtered ? "chosen by the options" : "all threads and processes", table->sort_name);
    fputs("# wall-clock time; total: with what the function calls; of recursive calls only the outermost counts\n"
          "# self: without the recorded calls in it; avg, min, max: of its single calls, so avg * calls exceeds total "
          "where it "
          "recurses\n",
          out);
    if (table->filtered)
        fputs("# calls that the options leave out count as self time of what called them\n", out);
    if (stats->unfinished)
        fprintf(out, "# unfinished: %" PRIu64 ", counted up to their last known time\n", stats->unfinished);
    if (stats->unwound)
        fprintf(out, "# left by longjmp, an exception or the end of their thread: %" PRIu64 "\n", stats->unwound);
    if (stats->errors)
        fprintf(out, "# errors: %" PRIu64 " %s failed or %s left by an exception\n", stats->errors,
                stats->errors == 1 ? "call" : "calls", stats->errors == 1 ? "was" : "were");
    if (stats->inherited)
        fprintf(out, "# open when their process was forked: %" PRIu64 "; their time in the child counts, they do not\n",
                stats->inherited);
    if (stats->outer_unknown)
        fprintf(out, "# outer calls of which nothing is known: %" PRIu64 "\n", stats->outer_unknown);
    if (table->sites && !stats->placed)
        fputs("# no call site is known: they are recorded at TRACE_LEVEL=2\n", out);
    for (size_t i = 0; i < table->columns.count; i++) {
        const char *name = ts_report_column_names[table->columns.columns[i]].text;
        if (i == 0)
            fprintf(out, "# %-*s", widths->columns[i] - (int)strlen("# "), name);
        else
            fprintf(out, "  %*s", widths->columns[i], name);
    }
    fputs(table->sites ? "  name {scope}  from  at\n" : "  name {scope}\n", out);
}

/*
 * The time that the table does not have. What is missing of the trace, or is on stacks beside a thread's own, may be in
 * it; rounding apart calls do not last longer than their threads.
 */
static void write_rest(const struct ts_report_table *table, FILE *out) {
    const struct ts_call_stats *stats = table->stats;
    uint64_t rest_ns = stats->threads_ns > stats->in_calls_ns ? stats->threads_ns - stats->in_calls_ns : 0;
    if (table->filtered || !stats->threads_ns)
        return;
    fprintf(out, "# not in any recorded call: %s%s, %.1f %% of the ",
            table->misses || stats->other_stacks ? "at most " : "", ts_duration_token(rest_ns).text,
            100 * (double)rest_ns / (double)stats->threads_ns);
    fprintf(out, "%s that ", ts_duration_token(stats->threads_ns).text);
    if (stats->threads == 1)
        fputs("the thread lasted", out);
    else
        fprintf(out, "%" PRIu64 " threads lasted together", stats->threads);
    if (table->misses)
        fputs("; calls are missing, as `traceshim info` tells", out);
    if (stats->other_stacks)
        fprintf(out, "; %" PRIu64 " other %s had calls, too", stats->other_stacks,
                stats->other_stacks == 1 ? "stack" : "stacks");
    putc('\n', out);
}

/* What is not known is a question mark, so that what follows keeps its place. */
static void write_place(const char *text, FILE *out) {
    fputs("  ", out);
    ts_text_write_name(out, text ? text : "?");
}

int ts_report_layout_text(const struct ts_report_table *table, FILE *out, struct ts_error *error) {
    struct widths widths = measure(table);

    ts_paint(out, table->colour, TS_PAINT_FAINT);
    write_header(table, &widths, out);
    ts_paint(out, table->colour, TS_PAINT_END);
    for (size_t i = 0; i < table->shown; i++) {
        const struct ts_report_line *line = &table->lines[i];
        for (size_t c = 0; c < table->columns.count; c++) {
            struct ts_duration_text text = value_text(line, table->columns.columns[c]);
            int room = widths.columns[c] - ts_duration_columns(&text);
            if (c == 0) /* to the left: programs find the first number at the line's begin */
                fprintf(out, "%s%*s", text.text, room, "");
            else
                fprintf(out, "  %*s%s", room, "", text.text);
        }
        fputs("  ", out);
        ts_paint(out, table->colour, line->count->errors ? TS_PAINT_ERROR : TS_PAINT_NAME);
        ts_text_write_name(out, line->row->name);
        ts_paint(out, table->colour, TS_PAINT_END);
        fputs(" {", out);
        ts_text_write_name(out, line->row->scope);
        fputs("}", out);
        if (table->sites) {
            write_place(line->row->from, out);
            write_place(line->row->at, out);
        }
        fputs("\n", out);
    }
    if (table->count == 0)
        fputs("# (no spans)\n", out);
    if (table->shown < table->count)
        fprintf(out, "# … %zu more %s\n", table->count - table->shown, table->sites ? "lines" : "functions");
    write_rest(table, out);
    return ts_written_all(out, "the report", error);
}

int ts_report_layout_csv(const struct ts_report_table *table, FILE *out, struct ts_error *error) {
    for (size_t c = 0; c < table->columns.count; c++)
        fprintf(out, "%s,", ts_report_column_names[table->columns.columns[c]].key);
    fprintf(out, "name,scope%s%s\n", table->sites ? ",from,at" : "", table->chosen ? "" : ",unfinished,unwound");
    for (size_t i = 0; i < table->shown; i++) {
        const struct ts_report_line *line = &table->lines[i];
        for (size_t c = 0; c < table->columns.count; c++)
            fprintf(out, "%" PRIu64 ",", ts_report_column_value(line->count, table->columns.columns[c]));
        ts_text_write_csv(out, line->row->name);
        putc(',', out);
        ts_text_write_csv(out, line->row->scope);
        if (table->sites) {
            putc(',', out);
            ts_text_write_csv(out, line->row->from ? line->row->from : "");
            putc(',', out);
            ts_text_write_csv(out, line->row->at ? line->row->at : "");
        }
        if (!table->chosen)
            fprintf(out, ",%" PRIu64 ",%" PRIu64, line->count->unfinished, line->count->unwound);
        putc('\n', out);
    }
    return ts_written_all(out, "the report", error);
}

static void write_json_number(struct ts_json_stream *json, const char *key, uint64_t value) {
    ts_json_stream_text(json, ",\"");
    ts_json_stream_text(json, key);
    ts_json_stream_text(json, "\":");
    ts_json_stream_unsigned(json, value);
}

static void write_json_text(struct ts_json_stream *json, const char *text) {
    if (text)
        ts_json_stream_string(json, text);
    else
        ts_json_stream_text(json, "null");
}

int ts_report_layout_json(const struct ts_report_table *table, FILE *out, struct ts_error *error) {
    struct ts_json_stream json;

    ts_json_stream_open(&json, out);
    ts_json_stream_text(&json, "[");
    for (size_t i = 0; i < table->shown; i++) {
        const struct ts_report_line *line = &table->lines[i];
        ts_json_stream_text(&json, i ? ",\n{\"name\":" : "\n{\"name\":");
        ts_json_stream_string(&json, line->row->name);
        ts_json_stream_text(&json, ",\"scope\":");
        ts_json_stream_string(&json, line->row->scope);
        if (table->sites) {
            ts_json_stream_text(&json, ",\"from\":");
            write_json_text(&json, line->row->from);
            ts_json_stream_text(&json, ",\"at\":");
            write_json_text(&json, line->row->at);
        }
        for (size_t c = 0; c < table->columns.count; c++) {
            enum ts_report_column column = table->columns.columns[c];
            write_json_number(&json, ts_report_column_names[column].key, ts_report_column_value(line->count, column));
        }
        if (!table->chosen) {
            write_json_number(&json, "unfinished", line->count->unfinished);
            write_json_number(&json, "unwound", line->count->unwound);
        }
        ts_json_stream_text(&json, "}");
    }
    ts_json_stream_text(&json, "\n]\n");
    return ts_json_stream_close(&json, "the report", error);
}
