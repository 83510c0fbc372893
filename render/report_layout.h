/* The report's table and how it is laid out: text for people, CSV and JSON (integers in ns) for programs. */
#ifndef TRACESHIM_RENDER_REPORT_LAYOUT_H
#define TRACESHIM_RENDER_REPORT_LAYOUT_H

#include "render/call_stats.h"
#include "render/report.h"
#include "render/report_columns.h"

struct ts_report_line {
    const struct ts_function_row *row;
    const struct ts_call_count *count;
};

struct ts_report_table {
    const struct ts_call_stats *stats;
    const struct ts_report_line *lines; /* sorted */
    size_t count;
    size_t shown; /* the first so many lines are printed */
    const char *sort_name;
    struct ts_report_columns columns; /* at least one */
    bool sites;                       /* lines say where calls were made */
    bool chosen;                      /* not the default columns: CSV and JSON have nothing besides */
    bool colour;
    bool filtered; /* not every call of the session is in it */
    bool misses;   /* calls that were made are not in the trace, or not known */
};

/* ns per call, 0 without calls. */
uint64_t ts_report_average(const struct ts_call_count *count);

/* What ts_report_write does once the session was replayed into ts_call_stats_sink. */
int ts_report_print(const struct ts_call_stats *stats, const struct ts_report_options *options, bool misses, FILE *out,
                    struct ts_error *error);

/* 0, or -1 and the error when `out` could not be written. */
int ts_report_layout_text(const struct ts_report_table *table, FILE *out, struct ts_error *error);
int ts_report_layout_csv(const struct ts_report_table *table, FILE *out, struct ts_error *error);
int ts_report_layout_json(const struct ts_report_table *table, FILE *out, struct ts_error *error);

#endif
