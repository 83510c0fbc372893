#include "render/report_columns.h"

#include "render/report_layout.h"
#include "render/variance.h"

#include <string.h>

const struct ts_report_column_names ts_report_column_names[TS_COLUMN_COUNT] = {
#define X(name, text, key, is_duration) {text, key, is_duration},
    TS_REPORT_COLUMNS(X)
#undef X
};

static size_t find(const char *name, size_t length) {
    size_t column = 0;
    while (column < TS_COLUMN_COUNT && (strlen(ts_report_column_names[column].text) != length ||
                                        memcmp(ts_report_column_names[column].text, name, length) != 0))
        column++;
    return column;
}

static bool has(const struct ts_report_columns *columns, enum ts_report_column column) {
    for (size_t i = 0; i < columns->count; i++)
        if (columns->columns[i] == column)
            return true;
    return false;
}

int ts_report_columns_parse(struct ts_report_columns *columns, const char *list, struct ts_error *error) {
    columns->count = 0;
    for (const char *at = list; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        size_t column = find(at, length);
        if (column == TS_COLUMN_COUNT && !(length == 4 && !memcmp(at, "name", 4)))
            return ts_error_set(error,
                                "no column '%.*s'; there are calls, total, self, avg, min, max, errors, stddev, "
                                "unfinished, unwound",
                                (int)length, at);
        if (column < TS_COLUMN_COUNT && !has(columns, (enum ts_report_column)column))
            columns->columns[columns->count++] = (enum ts_report_column)column;
        at += length;
    }
    return columns->count ? 0 : ts_error_set(error, "--columns: the list is empty");
}

uint64_t ts_report_column_value(const struct ts_call_count *count, enum ts_report_column column) {
    switch (column) {
    case TS_COLUMN_CALLS:
        return count->calls;
    case TS_COLUMN_TOTAL:
        return count->total;
    case TS_COLUMN_SELF:
        return count->self;
    case TS_COLUMN_AVERAGE:
        return ts_report_average(count);
    case TS_COLUMN_MINIMUM:
        return count->minimum;
    case TS_COLUMN_MAXIMUM:
        return count->maximum;
    case TS_COLUMN_ERRORS:
        return count->errors;
    case TS_COLUMN_DEVIATION:
        return ts_variance_deviation(count);
    case TS_COLUMN_UNFINISHED:
        return count->unfinished;
    case TS_COLUMN_UNWOUND:
        return count->unwound;
    case TS_COLUMN_COUNT:
        break;
    }
    return 0;
}
