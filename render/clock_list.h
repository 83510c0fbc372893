/* Moments at which something changes: clock values in ascending order. */
#ifndef TRACESHIM_RENDER_CLOCK_LIST_H
#define TRACESHIM_RENDER_CLOCK_LIST_H

#include <stddef.h>
#include <stdint.h>

/* The first of them after `clock`; UINT64_MAX: none. */
uint64_t ts_clock_list_next(const uint64_t *clocks, size_t count, uint64_t clock);

#endif
