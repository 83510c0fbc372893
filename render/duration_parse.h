/* Durations as people write them: 100ns, 5us, 5µs, 1.5ms, 2s. */
#ifndef TRACESHIM_RENDER_DURATION_PARSE_H
#define TRACESHIM_RENDER_DURATION_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* Of the first `length` bytes; a number without a unit counts `unit_ns` ns each. 0, or -1: it is none, or too long. */
int ts_duration_parse(const char *text, size_t length, uint64_t unit_ns, uint64_t *ns);

#endif
