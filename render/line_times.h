/* How long the calls took that source lines make: those whose call site, recorded at level 2, is on the line. */
#ifndef TRACESHIM_RENDER_LINE_TIMES_H
#define TRACESHIM_RENDER_LINE_TIMES_H

#include "render/hash_index.h"
#include "render/replay.h"

struct ts_line_time {
    const char *file; /* the symbols' of its object, which the session owns */
    uint32_t line;
    uint64_t calls;
    uint64_t ns; /* in them; of those inside each other, where the line recurses, only the outermost counts */
};

/* All zero at first. */
struct ts_line_times {
    struct ts_line_time *lines;
    size_t count;
    size_t capacity;
    struct ts_hash_index index;
    uint32_t *of_site; /* by ts_site.id: number of its line + 2, 1: it has none, 0: not looked up */
    size_t site_count;
    size_t site_capacity;
    struct ts_line_times_stream *stream; /* that is replayed */
};

/* Replays the session. */
void ts_line_times_find(struct ts_line_times *times, struct ts_session *session);
void ts_line_times_free(struct ts_line_times *times);

#endif
