#include "render/command.h"
#include "render/report.h"

#include <string.h>

static int write_report(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    return ts_report_write(session, context, out, error);
}

static int layout_named(const char *name) {
    static const char *const names[] = {[TS_REPORT_TEXT] = "text", [TS_REPORT_CSV] = "csv", [TS_REPORT_JSON] = "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -1;
}

int ts_command_report(int argc, char **argv) {
    const char *sort_name = "total", *layout_name = "text";
    struct ts_report_options report = {.max_rows = 0};
    const struct ts_option options[] = {
        {.name = "--sort",
         .value = "COLUMN",
         .help = "Sort by total (default), calls, self, avg, min, max, errors or name",
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
         .target = &report.max_rows},
        {.name = NULL},
    };
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    int sort = ts_report_sort_named(sort_name), layout = layout_named(layout_name);
    if (sort < 0) {
        ts_command_tell("report: no column '%s'; there are total, calls, self, avg, min, max, errors, name", sort_name);
        return TS_STATUS_USAGE;
    }
    if (layout < 0) {
        ts_command_tell("report: no format '%s'; there are text, csv, json", layout_name);
        return TS_STATUS_USAGE;
    }
    report.sort = (enum ts_report_sort)sort;
    report.layout = (enum ts_report_layout)layout;
    return ts_command_write_session(operands[0], NULL, write_report, &report);
}
