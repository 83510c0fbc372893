/* Counts for people: `1,234,567`. */
#ifndef TRACESHIM_RENDER_COUNT_TEXT_H
#define TRACESHIM_RENDER_COUNT_TEXT_H

#include <stdint.h>

struct ts_count_text {
    char text[27]; /* 20 digits and 6 commas */
};

struct ts_count_text ts_count_text(uint64_t count);

/* What an English noun ends with behind this count. */
static inline const char *ts_count_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

#endif
