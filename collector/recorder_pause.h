/*
 * Recording may pause, for all threads of a process at once, and go on. While it does, calls are kept on the shadow
 * stacks, so that those that are open when it goes on are known with their beginnings, and nothing is written.
 *
 * The hot path asks for none of this: who pauses sets every cursor's limit to 0. A thread's next event so takes its
 * slow path, and finds the pause there: it ends its window (TS_WINDOW_PAUSED) and keeps what is left of it; further
 * events see that there is no window. A thread without an event in the pause has missed nothing: it sets its limit
 * again and goes on in its window. Who sets a limit looks, behind a full fence, whether there is a pause since: it or
 * the pause's beginning comes second, and sets the limit to 0.
 *
 * A forked child inherits the state.
 */
#ifndef TRACESHIM_COLLECTOR_RECORDER_PAUSE_H
#define TRACESHIM_COLLECTOR_RECORDER_PAUSE_H

#include "collector/process.h"

/* For who wants to spare itself what would not be recorded; may be over in the next moment. */
static inline int ts_recorder_pauses(void) {
    return __atomic_load_n(&ts_process->paused, __ATOMIC_RELAXED) != 0;
}

/* At start, before the first event: recording begins paused. */
void ts_recorder_begin_paused(uint64_t clock);

/*
 * Pauses recording, or lets it go on; the trace says so. Async-signal-safe; errno is kept. No system call where those
 * are forbidden: then the windows alone tell of the pause.
 */
void ts_recorder_toggle(void);

#endif
