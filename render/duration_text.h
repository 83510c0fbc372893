/* Durations for people, in the largest unit of s, ms, µs and ns of which there is at least one. */
#ifndef TRACESHIM_RENDER_DURATION_TEXT_H
#define TRACESHIM_RENDER_DURATION_TEXT_H

#include <stdint.h>

/* Longest text: "18446744073.71 s" and its end. */
#define TS_DURATION_TEXT_BYTES 24

struct ts_duration_text {
    char text[TS_DURATION_TEXT_BYTES];
};

/* `1.50 s`, `12.34 ms`, `1.5 µs`, `560 ns`; rounded before the unit is chosen: 999.999 ms is `1.00 s`. */
struct ts_duration_text ts_duration_text(uint64_t ns);

/* The same as one token, for columns that programs split at spaces: `1.50s`, `560ns`. */
struct ts_duration_text ts_duration_token(uint64_t ns);

/* Columns on a terminal: fewer than bytes, for `µ` is two. */
int ts_duration_columns(const struct ts_duration_text *duration);

#endif
