/* What is missing between two windows of a thread: events that were lost, or that recording was paused for. */
#ifndef TRACESHIM_RENDER_THREAD_GAP_H
#define TRACESHIM_RENDER_THREAD_GAP_H

#include "render/thread_replay_private.h"

/* The window's first record tells what lies before it. */
enum ts_gap { TS_GAP_NONE, TS_GAP_LOST, TS_GAP_PAUSE };
enum ts_gap ts_gap_before(const struct ts_window_copy *window);

/* A window has been replayed: if a pause has ended it, tells the sink. */
void ts_gap_begin(struct ts_thread_replay *thread, const struct ts_window_header *header);
/* The next one's open calls are there: if the gap before it is a pause, tells the sink. */
void ts_gap_end(struct ts_thread_replay *thread, enum ts_gap gap);

/* When calls of the lane were last seen open: when the pause began that ended the last window; `otherwise`: none has.
 */
uint64_t ts_gap_open_ns(struct ts_thread_replay *thread, const struct ts_lane *lane, uint64_t otherwise);

#endif
