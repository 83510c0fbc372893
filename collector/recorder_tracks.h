/*
 * The tracks of one recorder: a shadow stack for each stack that its thread runs on, found by that stack. Track 0 is
 * the thread's own. Signals are blocked, and the recorder is this thread's.
 */
#ifndef TRACESHIM_COLLECTOR_RECORDER_TRACKS_H
#define TRACESHIM_COLLECTOR_RECORDER_TRACKS_H

#include "collector/recorder.h"
#include "collector/stacks.h"

#define TS_TRACK_NONE UINT32_MAX

/*
 * Track 0 with these bounds, and no other, as a new owner of the recorder finds them. `room`: how large that stack may
 * become. 0, or -1 when there is no memory.
 */
int ts_recorder_tracks_start(struct ts_recorder *recorder, uint64_t low, uint64_t bytes, uint64_t room);
/* The track of the stack, or of one that ended in the same page (then its stamp differs); TS_TRACK_NONE. */
uint32_t ts_recorder_tracks_find(const struct ts_recorder *recorder, const struct ts_stack *stack);
/*
 * A track for a stack that has none: a new one or, so that tracks do not become more than stacks live at once, that of
 * a stack that has ended. Its stamp is 0, and calls of the ended stack may be open: unwind them, then renew it.
 * TS_TRACK_NONE when there is no memory.
 */
uint32_t ts_recorder_tracks_add(struct ts_recorder *recorder, const struct ts_stack *stack);
/* The track is this stack's from now on. No call may be open on it; its shadow stack may become another. */
void ts_recorder_tracks_renew(struct ts_track *track, const struct ts_stack *stack);

#endif
