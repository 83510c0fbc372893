/*
 * Where records go: windows, claimed from the mapped trace file. Any thread of any process that maps the file claims by
 * atomic operations on the shared header; no lock, no system call but madvise and, when the mapping grows, mremap.
 * Async-signal-safe; the caller blocks signals so that a handler cannot claim for the same recorder in between.
 */
#ifndef TRACESHIM_COLLECTOR_WINDOW_H
#define TRACESHIM_COLLECTOR_WINDOW_H

#include "collector/trace_format.h"

struct ts_window {
    struct ts_window_header *header; /* NULL: none */
    uint64_t offset;                 /* in the file */
    uint32_t bytes;
};

/* A thread's first windows, and that of a forked child, which often does little before it ends or executes another. */
#define TS_WINDOW_FORKED TS_WINDOW_STEP
#define TS_WINDOW_SMALL (16u << 10)
#define TS_WINDOW_MIDDLE (256u << 10)
/* A rest below this is not worth handing on. */
#define TS_WINDOW_LEAST 1024u

/*
 * Claims a window of about `bytes` (at most a block): zeroed, populated, header all zero but offset and bytes. In ring
 * mode, when the file is full, recycles the oldest block that nobody writes. 0, or the reason (enum ts_lost_reason)
 * + 1. `control`: from the blocks that are kept from recycling.
 */
int ts_window_claim(struct ts_window *window, uint32_t bytes, int control);

/* Publishes a filled header: sequence goes last. Returns it. */
uint64_t ts_window_publish(const struct ts_window *window);

/*
 * The records end at `end_bytes`. What follows in the window may serve another thread (`keep_rest`: the thread ended).
 * The window must not be written any more.
 */
void ts_window_close(const struct ts_window *window, uint32_t end_bytes, uint64_t clock, int keep_rest);

/*
 * The same where this thread goes on later, with its next window: *window is then what follows, which nobody else is
 * given; its header NULL: it is too small.
 */
void ts_window_split(struct ts_window *window, uint32_t end_bytes, uint64_t clock);
/* Begins to use what was kept so, as if it had just been claimed; gives it to other threads; or leaves it unused. */
void ts_window_begin_rest(const struct ts_window *rest);
void ts_window_give_rest(const struct ts_window *rest);
void ts_window_leave_rest(const struct ts_window *rest);

/* Counts events that were not written, in the file's header and, where there is one, in the window's. */
void ts_window_count_lost(struct ts_window_header *header, enum ts_lost_reason reason, uint64_t events, uint64_t clock);

#endif
