/*
 * Alternate signal stacks of ours, for threads of which the program has set none: the handler of a fatal signal must
 * run when the thread's own stack is used up. The program is not told of them (preload/context_hooks.c).
 */
#ifndef TRACESHIM_COLLECTOR_CRASH_STACK_H
#define TRACESHIM_COLLECTOR_CRASH_STACK_H

#include "collector/recorder.h"

/* At start: from now on threads that begin to record get one. */
void ts_crash_stack_begin(void);

/* For this thread, whose recorder it is: unless it has one, or a handler runs on one. */
void ts_crash_stack_set(struct ts_recorder *recorder);
/* The thread ends, or sets one by itself: ours is not used any more. */
void ts_crash_stack_unset(const struct ts_recorder *recorder);
/* Whether this address, as the kernel tells it, is that of ours. */
int ts_crash_stack_is(const struct ts_recorder *recorder, uint64_t low);

#endif
