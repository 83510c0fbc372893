/* Makes this process's trace file and maps it. At start, single-threaded. */
#ifndef TRACESHIM_COLLECTOR_TRACE_FILE_H
#define TRACESHIM_COLLECTOR_TRACE_FILE_H

#include "collector/preamble.h"
#include "collector/text.h"

#include <stdint.h>

struct ts_trace_file_options {
    const char *directory;
    uint64_t max_bytes; /* TRACE_MAX_SIZE; 0: the default, at most 4 GiB */
    int full_mode;      /* enum ts_full_mode */
    uint8_t trace_id[16];
    uint8_t parent_span_id[8];
};

/*
 * Creates <directory>/<pid>.trace (<pid>.2.trace, ... for later images of this pid), writes header and preamble, maps
 * it into ts_trace_map and closes the descriptor. Returns 0, or -1 and the reason, without a file left behind. `note`
 * gets what a person should know of the size ("…" or empty). *place_refused tells that it is the file system that
 * cannot be used.
 */
int ts_trace_file_create(const struct ts_trace_file_options *options, const struct ts_preamble *preamble,
                         struct ts_text *reason, struct ts_text *note, int *place_refused);

/* Number of this exec image of its process, from 1; set by ts_trace_file_create. */
uint32_t ts_trace_file_image(void);

#endif
