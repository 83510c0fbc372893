#include "render/command.h"
#include "render/filter_options.h"
#include "render/report.h"
#include "render/screen.h"

#include <string.h>

struct report {
    struct ts_report_options options;
    struct ts_span_filter filter;
    struct ts_screen screen;
};

static int write_report(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    const struct report *report = context;
    if (report->options.filtered)
        session->filter = &report->filter;
    struct ts_report_options options = report->options;
    options.colour = report->screen.colour;
    return ts_report_write(session, &options, out, error);
}

static int layout_named(const char *name) {
    static const char *const names[] = {[TS_REPORT_TEXT] = "text", [TS_REPORT_CSV] = "csv", [TS_REPORT_JSON] = "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -1;
}

int ts_command_report(int argc, char **argv) {
    const char *sort_name = "total", *layout_name = "text", *columns = NULL;
    struct report report = {.options.max_rows = 0};
    struct ts_filter_options filter = {.depth = 0};
    struct ts_error error;
    int sites = 0;
    const struct ts_option options[] = {
        {.name = "--sort",
         .value = "COLUMN",
         .help = "Sort by total (default), calls, self, avg, min, max, errors, stddev or name",
         .kind = TS_OPTION_TEXT,
         .target = &sort_name},
        {.name = "--format",
         .value = "FORMAT",
         .help = "text (default), csv or json",
         .kind = TS_OPTION_TEXT,
         .target = &layout_name},
        {.name = "--limit",
         .value = "N",
         .help = "Show the first N functions; 0, the default: all",
         .kind = TS_OPTION_COUNT,
         .target = &report.options.max_rows},
        {.name = "--columns",
         .value = "LIST",
         .help = "Show these columns, comma separated; besides those above: stddev, unfinished, unwound",
         .kind = TS_OPTION_TEXT,
         .target = &columns},
        {.name = "--sites",
         .help = "A line for each place that a function is called from (TRACE_LEVEL=2)",
         .number = 1,
         .target = &sites},
        TS_FILTER_OPTIONS(filter),
        TS_SCREEN_OPTIONS(report.screen),
        {.name = NULL},
    };
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    int sort = ts_report_sort_named(sort_name), layout = layout_named(layout_name);
    if (sort < 0) {
        ts_command_tell("report: no column '%s'; there are total, calls, self, avg, min, max, errors, stddev, name",
                        sort_name);
        return TS_STATUS_USAGE;
    }
    if (layout < 0) {
        ts_command_tell("report: unknown format '%s'; there are text, csv, json", layout_name);
        return TS_STATUS_USAGE;
    }
    int filters = ts_filter_options_parse(&filter, &report.filter, &error);
    if (filters < 0 || (columns && ts_report_columns_parse(&report.options.columns, columns, &error) != 0)) {
        ts_command_tell("report: %s", error.text);
        return TS_STATUS_USAGE;
    }
    report.options.filtered = filters > 0;
    report.options.sites = sites;
    report.options.sort = (enum ts_report_sort)sort;
    report.options.layout = (enum ts_report_layout)layout;
    return ts_command_show_session(operands[0], &report.screen, write_report, &report);
}
