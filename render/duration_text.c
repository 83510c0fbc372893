#include "render/duration_text.h"

#include <stdio.h>

static struct ts_duration_text print_duration(uint64_t ns, const char *space) {
    struct ts_duration_text result;
    double value = (double)ns;

    /* The limits are where the smaller unit would round up to 1000. */
    if (ns < 1000)
        snprintf(result.text, sizeof result.text, "%.0f%sns", value, space);
    else if (ns < 999950)
        snprintf(result.text, sizeof result.text, "%.1f%sµs", value / 1e3, space);
    else if (ns < 999995000)
        snprintf(result.text, sizeof result.text, "%.2f%sms", value / 1e6, space);
    else
        snprintf(result.text, sizeof result.text, "%.2f%ss", value / 1e9, space);
    return result;
}

struct ts_duration_text ts_duration_text(uint64_t ns) {
    return print_duration(ns, " ");
}

struct ts_duration_text ts_duration_token(uint64_t ns) {
    return print_duration(ns, "");
}

int ts_duration_columns(const struct ts_duration_text *duration) {
    int columns = 0;
    for (const char *byte = duration->text; *byte; byte++)
        columns += (*byte & 0xc0) != 0x80;
    return columns;
}
