#include "render/report.h"

#include "render/call_stats.h"
#include "render/memory.h"
#include "render/missing.h"
#include "render/report_layout.h"

#include <stdlib.h>
#include <string.h>

static const char *const sort_names[] = {
    [TS_REPORT_TOTAL] = "total", [TS_REPORT_CALLS] = "calls",   [TS_REPORT_SELF] = "self",
    [TS_REPORT_AVERAGE] = "avg", [TS_REPORT_MINIMUM] = "min",   [TS_REPORT_MAXIMUM] = "max",
    [TS_REPORT_NAME] = "name",   [TS_REPORT_ERRORS] = "errors", [TS_REPORT_DEVIATION] = "stddev",
};

int ts_report_sort_named(const char *name) {
    for (size_t i = 0; i < sizeof sort_names / sizeof *sort_names; i++) {
        if (strcmp(sort_names[i], name) == 0)
            return (int)i;
    }
    return -1;
}

static uint64_t sort_value(const struct ts_report_line *line, enum ts_report_sort sort) {
    static const enum ts_report_column columns[] = {
        [TS_REPORT_TOTAL] = TS_COLUMN_TOTAL,     [TS_REPORT_CALLS] = TS_COLUMN_CALLS,
        [TS_REPORT_SELF] = TS_COLUMN_SELF,       [TS_REPORT_AVERAGE] = TS_COLUMN_AVERAGE,
        [TS_REPORT_MINIMUM] = TS_COLUMN_MINIMUM, [TS_REPORT_MAXIMUM] = TS_COLUMN_MAXIMUM,
        [TS_REPORT_ERRORS] = TS_COLUMN_ERRORS,   [TS_REPORT_DEVIATION] = TS_COLUMN_DEVIATION,
    };
    return sort == TS_REPORT_NAME ? 0 : ts_report_column_value(line->count, columns[sort]);
}

static int compare_lines(const void *left_pointer, const void *right_pointer, void *sort) {
    const struct ts_report_line *left = left_pointer;
    const struct ts_report_line *right = right_pointer;
    uint64_t left_value = sort_value(left, *(const enum ts_report_sort *)sort);
    uint64_t right_value = sort_value(right, *(const enum ts_report_sort *)sort);

    if (left_value != right_value)
        return left_value > right_value ? -1 : 1;
    return ts_function_rows_compare(left->row, right->row);
}

uint64_t ts_report_average(const struct ts_call_count *count) {
    return count->calls ? count->durations / count->calls : 0;
}

int ts_report_print(const struct ts_call_stats *stats, const struct ts_report_options *options, bool misses, FILE *out,
                    struct ts_error *error) {
    struct ts_report_table table = {.stats = stats, .columns = options->columns, .sites = options->sites};
    struct ts_report_line *lines = ts_memory_new(stats->counts_count, sizeof *lines);
    for (size_t i = 0; i < stats->counts_count; i++)
        if (!options->sites || stats->counts[i].calls || stats->counts[i].total) /* or all its calls have a place */
            lines[table.count++] = (struct ts_report_line){.row = &stats->rows.rows[i], .count = &stats->counts[i]};
    enum ts_report_sort sort = options->sort;
    qsort_r(lines, table.count, sizeof *lines, compare_lines, &sort);

    table.lines = lines;
    table.shown = options->max_rows && options->max_rows < table.count ? options->max_rows : table.count;
    table.sort_name = sort_names[sort];
    table.filtered = options->filtered;
    table.misses = misses;
    table.colour = options->colour;
    table.chosen = table.columns.count > 0;
    if (!table.chosen)
        while (table.columns.count < TS_COLUMNS_DEFAULT) {
            table.columns.columns[table.columns.count] = (enum ts_report_column)table.columns.count;
            table.columns.count++;
        }
    int result = options->layout == TS_REPORT_JSON  ? ts_report_layout_json(&table, out, error)
                 : options->layout == TS_REPORT_CSV ? ts_report_layout_csv(&table, out, error)
                                                    : ts_report_layout_text(&table, out, error);
    free(lines);
    return result;
}

static bool shows_deviation(const struct ts_report_options *options) {
    bool shows = options->sort == TS_REPORT_DEVIATION;
    for (size_t i = 0; i < options->columns.count; i++)
        shows |= options->columns.columns[i] == TS_COLUMN_DEVIATION;
    return shows;
}

int ts_report_write(struct ts_session *session, const struct ts_report_options *options, FILE *out,
                    struct ts_error *error) {
    struct ts_call_stats stats = {.with_squares = shows_deviation(options),
                                  .sites = options->sites ? session->sites : NULL};
    struct ts_sink sink = ts_call_stats_sink(&stats);

    ts_replay(session, &sink, NULL);
    struct ts_text_list missing = {0};
    ts_missing_find(&missing, session);
    bool misses = missing.count || stats.outer_unknown;
    ts_text_list_free(&missing);
    int result = ts_report_print(&stats, options, misses, out, error);
    ts_call_stats_free(&stats);
    return result;
}
