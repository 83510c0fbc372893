/* How large a trace may become. Shared with `traceshim check`. */
#ifndef TRACESHIM_COLLECTOR_TRACE_SIZE_H
#define TRACESHIM_COLLECTOR_TRACE_SIZE_H

#include "collector/text.h"

#include <stdint.h>

#define TS_TRACE_SIZE_LEAST (UINT64_C(256) << 10)
#define TS_TRACE_SIZE_NO_ROOM "there is no room for a trace (256 KiB at least)"

/* Whether the kernel populates a mapping on demand; else the file is allocated at start. */
int ts_trace_size_populates(void);

/*
 * The budget in bytes: what was asked for (`max_bytes`; 0: the default, at most 4 GiB), within what the place
 * (`room`), the process's limits and the kernel allow. *step_bytes is the most that the mapping may grow at once;
 * `note` gets what a person should know of it, or nothing.
 */
uint64_t ts_trace_size_choose(uint64_t max_bytes, uint64_t room, int preallocated, uint64_t *step_bytes,
                              struct ts_text *note);

#endif
