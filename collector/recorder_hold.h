/*
 * A slow path holds its thread's recorder: until it releases it, every event of the thread finds none, and is counted
 * as lost. Signals are blocked meanwhile, but for those that the kernel forces, which kill where they are blocked: a
 * program that steps through itself, or is to emulate a system call, handles them at any instruction.
 */
#ifndef TRACESHIM_COLLECTOR_RECORDER_HOLD_H
#define TRACESHIM_COLLECTOR_RECORDER_HOLD_H

#include "collector/recorder.h"
#include "collector/system.h"

struct ts_recorder_hold {
    struct ts_signal_mask mask;
};

/*
 * Blocks signals and takes this thread's recorder away; *recorder is NULL before its first event. `frame`: where the
 * program calls from, its frame's address. It tells a handler, which runs below a slow path, from a program that has
 * left that one by a jump. 0, or -1 when another slow path of the thread holds the recorder or the task is not the
 * thread that it is of: `events` are counted as lost, signals are as before, nothing is to be released.
 */
int ts_recorder_hold(struct ts_recorder_hold *hold, struct ts_recorder **recorder, uint64_t frame, uint64_t events,
                     uint64_t clock);
/* The frame of a slow path that does not know its caller's. */
#define TS_RECORDER_HERE ((uint64_t)__builtin_frame_address(0))
/* Gives it back, or the one made meanwhile, and lets signals through. */
void ts_recorder_release(const struct ts_recorder_hold *hold, struct ts_recorder *recorder);
/* This thread's recorder, be it held or not; NULL before its first event. */
struct ts_recorder *ts_recorder_of_thread(void);

#endif
