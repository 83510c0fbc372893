/* The table of functions: calls, total, self, average, minimum, maximum, as text, CSV or JSON. */
#ifndef TRACESHIM_RENDER_REPORT_H
#define TRACESHIM_RENDER_REPORT_H

#include "render/report_columns.h"
#include "render/session.h"

#include <stdio.h>

enum ts_report_sort {
    TS_REPORT_TOTAL = 0, /* descending; the default */
    TS_REPORT_CALLS,
    TS_REPORT_SELF,
    TS_REPORT_AVERAGE,
    TS_REPORT_MINIMUM,
    TS_REPORT_MAXIMUM,
    TS_REPORT_ERRORS,
    TS_REPORT_DEVIATION,
    TS_REPORT_NAME, /* ascending */
};

enum ts_report_layout { TS_REPORT_TEXT = 0, TS_REPORT_CSV, TS_REPORT_JSON };

struct ts_report_options {
    enum ts_report_sort sort;
    enum ts_report_layout layout;
    uint64_t max_rows; /* 0: all */
    struct ts_report_columns columns;
    bool sites;    /* a line for each place that a function is called from */
    bool colour;   /* of the text layout, for a terminal */
    bool filtered; /* the session shows only a part of its calls */
};

/* The sort of this name ("total", "calls", "self", "avg", "min", "max", "errors", "stddev",
 * "name"); -1 when there is none. */
int ts_report_sort_named(const char *name);

int ts_report_write(struct ts_session *session, const struct ts_report_options *options, FILE *out,
                    struct ts_error *error);

#endif
