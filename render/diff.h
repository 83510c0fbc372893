/* What got slower: the functions of two sessions side by side. */
#ifndef TRACESHIM_RENDER_DIFF_H
#define TRACESHIM_RENDER_DIFF_H

#include "render/call_stats.h"
#include "render/error.h"

#include <stdio.h>

struct ts_diff_side {
    const char *name; /* for people */
    const struct ts_call_stats *stats;
};

/* Sorted by the change of self time, the largest first, whatever its sign. `max_rows` 0: all. 0, or -1 and the error.
 */
int ts_diff_write(const struct ts_diff_side *before, const struct ts_diff_side *after, uint64_t max_rows, bool colour,
                  FILE *out, struct ts_error *error);

#endif
