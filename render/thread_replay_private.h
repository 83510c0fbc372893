/* One thread's replay while it runs: what thread_replay.c and thread_parts.c share. */
#ifndef TRACESHIM_RENDER_THREAD_REPLAY_PRIVATE_H
#define TRACESHIM_RENDER_THREAD_REPLAY_PRIVATE_H

#include "render/lane.h"
#include "render/thread_events.h"
#include "render/thread_replay.h"

struct ts_thread_replay {
    struct ts_replay *replay;
    struct ts_trace *trace;
    struct ts_process *process;
    const struct ts_thread_facts *facts;
    struct ts_lane **lanes; /* in the order in which they were first seen */
    size_t lane_count;
    size_t lane_capacity;
    void *lanes_by_track; /* tsearch(3) */
    struct ts_lane *lane; /* the current one */
    struct ts_clock_piece piece;
    uint64_t window_clock;
    uint64_t newest;
    uint64_t last_sequence;
    int replayed;          /* a window was */
    int untrusted;         /* events were lost or damaged: the next header knows better */
    int in_flight;         /* the last header differed by a few calls */
    int loses;             /* events were lost in the window or after it */
    uint64_t paused_clock; /* when the pause began that ended the last window; 0: none did */
    int is_part;           /* of a thread: refuses what needs to know more than this part */
    int refused;
    int with_callers; /* there may be records that tell where calls were made */
    uint64_t calls;
    struct ts_jump jump;
    struct {
        const struct ts_hooked *hooked; /* NULL: none in this window, or it has returned */
        const uint32_t *at, *end;       /* its arguments */
        uint64_t depth;
    } newest_wide; /* call with arguments */
};

static inline uint64_t ts_thread_replay_ns(struct ts_thread_replay *thread, uint64_t clock) {
    if (__builtin_expect(clock - thread->piece.clock >= thread->piece.span, 0))
        thread->piece = *ts_clock_fit_piece(&thread->trace->clock, clock);
    return ts_clock_piece_ns(&thread->piece, clock);
}

/* Reads the window and replays it, as the next of its thread. */
void ts_thread_replay_window(struct ts_thread_replay *thread, const struct ts_window *window);
/* The same of the window that was read into replay->window. */
void ts_thread_replay_copied(struct ts_thread_replay *thread);

/* For records (thread_record.h): the window cannot be trusted; calls beyond `depth` were left; another stack goes on.
 */
void ts_thread_replay_damage(struct ts_thread_replay *thread);
void ts_thread_replay_unwind(struct ts_thread_replay *thread, uint64_t depth, uint64_t ns, uint32_t reason);
void ts_thread_replay_switch(struct ts_thread_replay *thread, const struct ts_record_switch *record);

#endif
