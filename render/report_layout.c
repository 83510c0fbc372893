#include "render/report_layout.h"

#include "render/duration_text.h"
#include "render/json_stream.h"
#include "render/text_escape.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { COLUMN_TOTAL, COLUMN_SELF, COLUMN_AVERAGE, COLUMN_MINIMUM, COLUMN_MAXIMUM, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"total", "self", "avg", "min", "max"};

struct widths {
    int calls;
    int durations[COLUMN_COUNT];
    int errors;
};

static void line_durations(const struct ts_report_line *line, uint64_t durations[COLUMN_COUNT]) {
    durations[COLUMN_TOTAL] = line->count->total;
    durations[COLUMN_SELF] = line->count->self;
    durations[COLUMN_AVERAGE] = ts_report_average(line->count);
    durations[COLUMN_MINIMUM] = line->count->minimum;
    durations[COLUMN_MAXIMUM] = line->count->maximum;
}

static void widen(int *width, int columns) {
    if (*width < columns)
        *width = columns;
}

static struct widths measure(const struct ts_report_table *table) {
    struct widths widths = {.calls = (int)strlen("# calls"), .errors = (int)strlen("errors")};
    uint64_t durations[COLUMN_COUNT];

    for (int column = 0; column < COLUMN_COUNT; column++)
        widths.durations[column] = (int)strlen(column_names[column]);
    for (size_t i = 0; i < table->shown; i++) {
        const struct ts_report_line *line = &table->lines[i];
        widen(&widths.calls, snprintf(NULL, 0, "%" PRIu64, line->count->calls));
        widen(&widths.errors, snprintf(NULL, 0, "%" PRIu64, line->count->errors));
        line_durations(line, durations);
        for (int column = 0; column < COLUMN_COUNT; column++) {
            struct ts_duration_text text = ts_duration_token(durations[column]);
            widen(&widths.durations[column], ts_duration_columns(&text));
        }
    }
    return widths;
}

static void write_header(const struct ts_report_table *table, const struct widths *widths, FILE *out) {
    const struct ts_call_stats *stats = table->stats;

    fprintf(out, "# %" PRIu64 " calls of %zu functions, all threads and processes, by %s\n", stats->calls, table->count,
            table->sort_name);
    fputs("# total: with what the function calls; of recursive calls only the outermost counts\n"
          "# self: without what it calls; avg, min, max: of its single calls, so avg * calls exceeds total where it "
          "recurses\n",
          out);
    if (stats->unfinished)
        fprintf(out, "# unfinished: %" PRIu64 ", counted up to their last known time\n", stats->unfinished);
    if (stats->unwound)
        fprintf(out, "# left by longjmp, an exception or the end of their thread: %" PRIu64 "\n", stats->unwound);
    if (stats->errors)
        fprintf(out, "# errors: %" PRIu64 " calls failed or were left by an exception\n", stats->errors);
    if (stats->inherited)
        fprintf(out, "# open when their process was forked: %" PRIu64 "; their time in the child counts, they do not\n",
                stats->inherited);
    if (stats->outer_unknown)
        fprintf(out, "# outer calls of which nothing is known: %" PRIu64 "\n", stats->outer_unknown);
    fprintf(out, "%-*s", widths->calls, "# calls");
    for (int column = 0; column < COLUMN_COUNT; column++)
        fprintf(out, "  %*s", widths->durations[column], column_names[column]);
    fprintf(out, "  %*s  name {scope}\n", widths->errors, "errors");
}

static int finish(FILE *out, struct ts_error *error) {
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        return ts_error_set(error, "cannot write the report: %s", errno ? strerror(errno) : "an earlier write failed");
    return 0;
}

int ts_report_layout_text(const struct ts_report_table *table, FILE *out, struct ts_error *error) {
    struct widths widths = measure(table);
    uint64_t durations[COLUMN_COUNT];

    write_header(table, &widths, out);
    for (size_t i = 0; i < table->shown; i++) {
        const struct ts_report_line *line = &table->lines[i];
        fprintf(out, "%-*" PRIu64, widths.calls, line->count->calls);
        line_durations(line, durations);
        for (int column = 0; column < COLUMN_COUNT; column++) {
            struct ts_duration_text text = ts_duration_token(durations[column]);
            fprintf(out, "  %*s%s", widths.durations[column] - ts_duration_columns(&text), "", text.text);
        }
        fprintf(out, "  %*" PRIu64 "  ", widths.errors, line->count->errors);
        ts_text_write_name(out, line->row->name);
        fputs(" {", out);
        ts_text_write_name(out, line->row->scope);
        fputs("}\n", out);
    }
    if (table->count == 0)
        fputs("# (no spans)\n", out);
    if (table->shown < table->count)
        fprintf(out, "# … %zu more functions\n", table->count - table->shown);
    return finish(out, error);
}

int ts_report_layout_csv(const struct ts_report_table *table, FILE *out, struct ts_error *error) {
    fputs("calls,total_ns,self_ns,avg_ns,min_ns,max_ns,errors,name,scope,unfinished,unwound\n", out);
    for (size_t i = 0; i < table->shown; i++) {
        const struct ts_report_line *line = &table->lines[i];
        const struct ts_call_count *count = line->count;
        uint64_t durations[COLUMN_COUNT];

        line_durations(line, durations);
        fprintf(out, "%" PRIu64, count->calls);
        for (int column = 0; column < COLUMN_COUNT; column++)
            fprintf(out, ",%" PRIu64, durations[column]);
        fprintf(out, ",%" PRIu64 ",", count->errors);
        ts_text_write_csv(out, line->row->name);
        putc(',', out);
        ts_text_write_csv(out, line->row->scope);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", count->unfinished, count->unwound);
    }
    return finish(out, error);
}

static void write_json_number(struct ts_json_stream *json, const char *key, uint64_t value) {
    ts_json_stream_text(json, ",\"");
    ts_json_stream_text(json, key);
    ts_json_stream_text(json, "\":");
    ts_json_stream_unsigned(json, value);
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
        write_json_number(&json, "calls", line->count->calls);
        write_json_number(&json, "total_ns", line->count->total);
        write_json_number(&json, "self_ns", line->count->self);
        write_json_number(&json, "avg_ns", ts_report_average(line->count));
        write_json_number(&json, "min_ns", line->count->minimum);
        write_json_number(&json, "max_ns", line->count->maximum);
        write_json_number(&json, "errors", line->count->errors);
        write_json_number(&json, "unfinished", line->count->unfinished);
        write_json_number(&json, "unwound", line->count->unwound);
        ts_json_stream_text(&json, "}");
    }
    ts_json_stream_text(&json, "\n]\n");
    return ts_json_stream_close(&json, "the report", error);
}
