/*
 * A thread's windows decoded by all processors. Each window's header names the calls that are open where it begins, so
 * a part of the windows, a few MiB, can be replayed without those before it, into a part of the sink (sink_parts.h).
 * Parts are joined in order, and only where the part's assumptions turn out true: the same calls are open, on the same
 * stack, nothing is lost, what is thrown is caught in the part, time goes on. Else the windows are replayed one after
 * another, as everything that the part does not know needs. So the result is always that of a replay on one processor.
 */
#ifndef TRACESHIM_RENDER_THREAD_PARTS_H
#define TRACESHIM_RENDER_THREAD_PARTS_H

#include "render/thread_replay_private.h"

struct ts_thread_parts;

/* NULL where it is not worth it, or the sink has no parts. The first windows are no part: the caller replays them. */
struct ts_thread_parts *ts_thread_parts_start(const struct ts_thread_replay *thread, const struct ts_window *window,
                                              const struct ts_window *end);

/*
 * If a part begins at *window: waits for it, adds it to the replay and moves *window behind it. False where none
 * begins, or it cannot be joined: the caller replays the window.
 */
int ts_thread_parts_join(struct ts_thread_parts *parts, struct ts_thread_replay *thread,
                         const struct ts_window **window);

/* Waits for what still runs. NULL is allowed. */
void ts_thread_parts_end(struct ts_thread_parts *parts);

#endif
