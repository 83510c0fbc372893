/* Between the recorder's files. Unless said otherwise: signals are blocked, and the recorder is this thread's. */
#ifndef TRACESHIM_COLLECTOR_RECORDER_PRIVATE_H
#define TRACESHIM_COLLECTOR_RECORDER_PRIVATE_H

#include "collector/process.h"
#include "collector/recorder.h"

/* recorder_pool.c */

/* Who has a recorder: process number << 32 | tid. */
#define TS_RECORDER_OWNER(tid) ((uint64_t)ts_process->number << 32 | (uint32_t)(tid))
/* At start. 0, or -1 when there is no memory. */
int ts_recorder_pool_begin(struct ts_process_memory *memory);
/* A recorder for this thread, complete and not yet published; NULL when there is no memory. */
struct ts_recorder *ts_recorder_pool_take(uint64_t owner);
void ts_recorder_pool_give(struct ts_recorder *recorder);
/* In a forked child: the recorders of the parent's other threads are free; those of threads made here are not. */
void ts_recorder_pool_shrink(void);
/* Makes every thread of this process look, at its next event, whether recording is paused. Async-signal-safe. */
void ts_recorder_pool_stop(void);
void ts_recorder_pool_after_fork(struct ts_recorder *mine);

/* recorder_window.c */

/*
 * Sees to it that `bytes` can be written at the cursor: renews the window if need be and writes a TIME record when the
 * clock's upper part has changed. In a forked child, makes it a process of its own first. Returns 0; -1 when nothing
 * can be written now (the caller counts what it loses); or 1 when nothing is to be, since recording is paused.
 */
int ts_recorder_make_room(struct ts_recorder *recorder, uint32_t bytes, uint64_t clock);
/* Gives the thread a whole new block, so that it can record for a while without system calls. */
void ts_recorder_reserve(struct ts_recorder *recorder, uint64_t clock);
/* Nothing can be written, and it is not yet time to ask for a window again. Signals need not be blocked. */
int ts_recorder_stays_lost(const struct ts_recorder *recorder);
/* Writes a tagged record of this thread: PENDING head, payload, head. make_room must have succeeded for its size. */
void ts_recorder_write(struct ts_recorder *recorder, const uint32_t *words, uint32_t count);
/* Closes the window. `keep_rest`: the thread has ended, another one may go on in what is left. Else the process has. */
void ts_recorder_end_window(struct ts_recorder *recorder, uint64_t clock, int keep_rest);
/* Gives what a pause has kept of a window to other threads; `is_last`: there will be none, the process ends. */
void ts_recorder_end_rest(struct ts_recorder *recorder, int is_last);
/* The window is gone: the next one's header names all open calls. */
void ts_recorder_lose_window(struct ts_recorder *recorder);
/* Commits what a hook has reserved that this handler interrupted. First thing in every slow path that another one's
 * events may lie below. */
void ts_recorder_settle(struct ts_recorder *recorder);
/* Whether the file, as it stands, shows this call as open. */
int ts_recorder_reader_has(const struct ts_shadow_entry *entry);

/* recorder_stack.c */

/*
 * Whether this task is not the thread that the recorder is of: one made by clone(CLONE_VM) without thread data of its
 * own runs with its maker's. Its events come from a stack that nobody knows.
 */
int ts_recorder_is_foreign(const struct ts_recorder *recorder);
/* After a slow path that was left in the middle: the next event begins a new window. */
void ts_recorder_recover(struct ts_recorder *recorder);
/* Stack bounds and first shadow stack of a new recorder. 0, or -1 when there is no memory. */
int ts_recorder_stack_start(struct ts_recorder *recorder);
/*
 * The event lies outside the current stack: finds the one that `address` is on, and makes it current. 0, or -1 when the
 * event is not this thread's: it is lost.
 */
int ts_recorder_stack_select(struct ts_recorder *recorder, uint64_t address, uint64_t clock);
/*
 * Before a slow path looks at open calls. A switch that no event tells of may have let a hook go on, in the middle of
 * its work, under another track: it has then stored its own track's top.
 */
void ts_recorder_stack_check(struct ts_recorder *recorder);
static inline int ts_recorder_track_holds(const struct ts_track *track, const struct ts_shadow_entry *top) {
    return (uint64_t)top - (uint64_t)track->first <= (uint64_t)(track->last + 1) - (uint64_t)track->first;
}
/*
 * Asked before calls are taken for dead: whether `address`, inside the current stack, lies on another one, which is
 * then current. A stack may be an array in a frame.
 */
int ts_recorder_stack_is_elsewhere(struct ts_recorder *recorder, uint64_t address, uint64_t clock);

/* recorder_tracks.c */

/* Gives back what lies far above the open calls, since the program locks its memory; the shadow stacks do not grow
 * again. */
void ts_recorder_stack_shrink(struct ts_recorder *recorder);

/* Sizes that bound shadow stacks, read once by ts_recorder_stack_begin. */
struct ts_recorder_memory {
    uint64_t shadow_most;  /* bytes of one */
    uint64_t main_stack;   /* RLIMIT_STACK at start */
    uint64_t thread_stack; /* of a thread made without attributes */
};
extern struct ts_recorder_memory ts_recorder_memory;
void ts_recorder_stack_begin(void);

/* recorder_slow.c */

/* Forgets calls that found no room on the shadow stack. */
void ts_recorder_end_overflow(struct ts_recorder *recorder);

/*
 * Removes the entries above `keep` (an entry of the current stack) and writes one UNWIND record for those of them that
 * the reader has open.
 */
void ts_recorder_unwind_to(struct ts_recorder *recorder, struct ts_shadow_entry *keep, uint64_t clock,
                           enum ts_unwind_reason reason);

static inline struct ts_u64 ts_u64_of(uint64_t value) {
    return (struct ts_u64){(uint32_t)value, (uint32_t)(value >> 32)};
}

#endif
