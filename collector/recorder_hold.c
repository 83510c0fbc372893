#include "collector/recorder_hold.h"
#include "collector/memory_probe.h"
#include "collector/process.h"
#include "collector/recorder_private.h"
#include "collector/stacks.h"

#include <signal.h>

/* A handler's frames lie no further from those that it interrupted, where it runs on their stack. */
#define STACK_MOST (UINT64_C(1) << 30)

/* What this thread's slow path has taken. */
static __thread struct {
    struct ts_recorder *recorder; /* NULL: it makes the thread's first */
    uint64_t frame;               /* where the program called from; 0: none is at work */
    uint64_t old_mask;            /* signals that were blocked before */
} held __attribute__((tls_model("initial-exec")));

struct ts_recorder *ts_recorder_of_thread(void) {
    struct ts_recorder *recorder = ts_this_recorder;
    return recorder || !held.frame ? recorder : held.recorder;
}

static int is_foreign(const struct ts_recorder *recorder, uint64_t address) {
    struct ts_stack stack;
    return !ts_recorder_knows_stack(recorder, address) && ts_stacks_find(address, &stack) &&
           address - recorder->tracks->stack_low >= recorder->tracks->stack_bytes && ts_recorder_is_foreign(recorder);
}

static int on_alternate_stack(uint64_t address) {
    stack_t alternate = {.ss_flags = SS_DISABLE};
    return ts_system_failed(ts_system_sigaltstack(NULL, &alternate)) ||
           address - (uint64_t)alternate.ss_sp < alternate.ss_size;
}

/*
 * Whether the slow path that holds the recorder never goes on: a handler has jumped away from it. Then this frame of
 * the same stack is not below that one's.
 */
static int is_abandoned(uint64_t frame) {
    return held.recorder && !ts_system_forbidden && frame - held.frame < STACK_MOST &&
           ts_system_gettid() == held.recorder->tid && (!on_alternate_stack(frame) || on_alternate_stack(held.frame));
}

int ts_recorder_hold(struct ts_recorder_hold *hold, struct ts_recorder **recorder, uint64_t frame, uint64_t events,
                     uint64_t clock) {
    int again = 0;
    ts_system_block_signals(&hold->mask);
    ts_memory_probe_look_at_mask(hold->mask.old);
    if (held.frame) {
        again = is_abandoned(frame);
        if (!again) {
            int foreign = held.recorder && ts_recorder_is_foreign(held.recorder);
            ts_window_count_lost(NULL, foreign ? TS_LOST_FOREIGN : TS_LOST_HANDLER, events, clock);
            goto refused;
        }
        if (ts_system_is_blocking(hold->mask.old)) /* it jumped without the mask that was to be restored */
            hold->mask.old = held.old_mask;
    } else {
        held.recorder = ts_this_recorder;
        if (held.recorder && is_foreign(held.recorder, TS_RECORDER_HERE)) {
            ts_window_count_lost(NULL, TS_LOST_FOREIGN, events, clock);
            goto refused;
        }
    }
    TS_STORE(held.old_mask, hold->mask.old);
    TS_STORE(held.frame, frame);
    TS_STORE(ts_this_recorder, NULL);
    if (again)
        ts_recorder_recover(held.recorder);
    *recorder = held.recorder;
    return 0;
refused:
    ts_system_restore_signals(&hold->mask);
    return -1;
}

void ts_recorder_release(const struct ts_recorder_hold *hold, struct ts_recorder *recorder) {
    TS_STORE(ts_this_recorder, recorder);
    TS_STORE(held.frame, 0);
    ts_system_restore_signals(&hold->mask);
}
