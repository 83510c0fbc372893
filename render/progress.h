/* How far a replay is, on one line of a terminal that is redrawn and gone when the replay ends. */
#ifndef TRACESHIM_RENDER_PROGRESS_H
#define TRACESHIM_RENDER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ts_progress {
    int fd; /* of a terminal; -1: nothing is shown */
    uint64_t total_bytes;
    uint64_t done_bytes;
    uint64_t calls;
    uint64_t begin_ns; /* CLOCK_MONOTONIC */
    uint64_t shown_ns; /* 0: not yet */
};

/* For what is shown on `fd`: fd stays -1 where that is no terminal, or a dumb one. */
struct ts_progress ts_progress_on(int fd);

/* A replay of so many bytes begins. `progress` may be NULL, here and below. */
void ts_progress_begin(struct ts_progress *progress, uint64_t total_bytes);
/* Bytes that were replayed, and the calls in them. Shows something when a second has passed, five times a second. */
void ts_progress_add(struct ts_progress *progress, uint64_t bytes, uint64_t calls);
void ts_progress_end(struct ts_progress *progress);

#endif
