/* How much single calls of a function differ, and whether two runs of it do more than that. */
#ifndef TRACESHIM_RENDER_VARIANCE_H
#define TRACESHIM_RENDER_VARIANCE_H

#include "render/call_stats.h"

/* Standard deviation of its calls' durations in ns, as of a sample; 0 below two calls. */
uint64_t ts_variance_deviation(const struct ts_call_count *count);

/*
 * Welch's t-test (Welch 1947): how likely two samples of calls with the same mean would differ as much as these in it,
 * two-sided, 0 to 1. -1 where it cannot be told: less than two calls in one of them.
 */
double ts_variance_chance(const struct ts_call_count *left, const struct ts_call_count *right);

#endif
