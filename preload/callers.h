/*
 * The callers of hooked calls, at level 2 and above, and of throws, catches and jumps, at level 3: a FRAME record for
 * each frame of a stack, once in each window, and the number of the innermost for the call itself. A stack is walked
 * once. After that it is known by the call's return address and frame, and holds if every return address that it has
 * still lies where it was: each slot is read again. The call site alone would not do: two callers that alternate have
 * it in common.
 *
 * Stacks begin inside the innermost open call, which is a span already.
 */
#ifndef TRACESHIM_PRELOAD_CALLERS_H
#define TRACESHIM_PRELOAD_CALLERS_H

#include "collector/recorder_hook.h"
#include "preload/stack.h"

/* In the constructor, at level 2 and above, before modules are looked at. */
void ts_callers_begin(ts_stack_is_harmless *is_harmless);
/* When the trace is there: tells it, and stderr, what is missing. */
void ts_callers_say_missing(void);
/* At the end of the process: tells the trace what the stacks took. */
void ts_callers_record(void);

/*
 * The number of the frame that makes a call with this CFA, return address and frame pointer; 0: it is not known. When
 * it is, the thread's window tells of it, and has room for a hooked call. Async-signal-safe.
 */
uint32_t ts_callers_find(uint64_t cfa, uint64_t return_address, uint64_t pointer);

/*
 * The same for what is no call. To be asked before its time is taken: what a stack takes that is seen for the first
 * time is not its.
 */
struct ts_recorder_place ts_callers_place(uint64_t cfa, uint64_t return_address, uint64_t pointer);

/* Code has gone, other may come to its place. */
void ts_callers_forget(void);

#endif
