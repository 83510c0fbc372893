/* One part of a thread's windows, replayed on its own (thread_parts.h). */
#ifndef TRACESHIM_RENDER_THREAD_PART_H
#define TRACESHIM_RENDER_THREAD_PART_H

#include "render/sink_parts.h"
#include "render/thread_replay_private.h"

struct ts_thread_part {
    const struct ts_window *first;
    const struct ts_window *end;
    const struct ts_sink_parts *sink_parts;
    struct ts_sink sink; /* its context is the sink's part */
    bool refused;        /* it cannot be joined */
    /* What was assumed. */
    struct ts_lane_call *outer; /* calls that are open at its begin */
    size_t outer_count;
    uint32_t track;
    uint64_t previous;       /* sequence of the window before it */
    uint64_t first_ns;       /* of its first event; UINT64_MAX: it has none */
    uint64_t modules_change; /* function_cache.h, next_change, at its begin */
    /* What came of it. */
    struct ts_lane *lane;
    uint64_t modules_change_at_end;
    uint64_t newest;
    uint64_t last_sequence;
    uint64_t calls;
    int loses;
    struct ts_totals totals;
};

/* What a processor needs to replay parts, one after another. All zero is ready. */
struct ts_part_worker {
    struct ts_replay replay;
};
void ts_part_worker_free(struct ts_part_worker *worker);

/* Replays part->first to part->end of the thread, of which only what does not change is looked at. */
void ts_thread_part_replay(struct ts_thread_part *part, struct ts_part_worker *worker,
                           const struct ts_thread_replay *of);

/* Adds it to the thread's replay. False, and nothing happened, where an assumption does not hold. */
bool ts_thread_part_join(struct ts_thread_part *part, struct ts_thread_replay *thread);

void ts_thread_part_free(struct ts_thread_part *part);

#endif
