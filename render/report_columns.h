/* The columns of the report: what each is called, what it says of a function, and how it is written. */
#ifndef TRACESHIM_RENDER_REPORT_COLUMNS_H
#define TRACESHIM_RENDER_REPORT_COLUMNS_H

#include "render/call_stats.h"
#include "render/error.h"

/* Name, name on the command line and in text, key in CSV and JSON, whether it is a duration. In default order. */
#define TS_REPORT_COLUMNS(X)                                                                                           \
    X(CALLS, "calls", "calls", false)                                                                                  \
    X(TOTAL, "total", "total_ns", true)                                                                                \
    X(SELF, "self", "self_ns", true)                                                                                   \
    X(AVERAGE, "avg", "avg_ns", true)                                                                                  \
    X(MINIMUM, "min", "min_ns", true)                                                                                  \
    X(MAXIMUM, "max", "max_ns", true)                                                                                  \
    X(ERRORS, "errors", "errors", false)                                                                               \
    X(DEVIATION, "stddev", "stddev_ns", true)                                                                          \
    X(UNFINISHED, "unfinished", "unfinished", false)                                                                   \
    X(UNWOUND, "unwound", "unwound", false)

enum ts_report_column {
#define X(name, text, key, is_duration) TS_COLUMN_##name,
    TS_REPORT_COLUMNS(X)
#undef X
        TS_COLUMN_COUNT
};

enum { TS_COLUMNS_DEFAULT = TS_COLUMN_ERRORS + 1 }; /* the first so many are shown where nobody chose */

/* Which are shown, in this order; the name and scope follow. */
struct ts_report_columns {
    enum ts_report_column columns[TS_COLUMN_COUNT];
    size_t count; /* 0: the default ones */
};

struct ts_report_column_names {
    const char *text;
    const char *key;
    bool is_duration;
};
extern const struct ts_report_column_names ts_report_column_names[TS_COLUMN_COUNT];

/* A comma list of names as in text, each once. 0, or -1 and the error. */
int ts_report_columns_parse(struct ts_report_columns *columns, const char *list, struct ts_error *error);

/* A count, or ns. */
uint64_t ts_report_column_value(const struct ts_call_count *count, enum ts_report_column column);

#endif
