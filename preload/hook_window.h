/* How much of the stack above a hooked call may be arguments of it, where no signature tells. */
#ifndef TRACESHIM_PRELOAD_HOOK_WINDOW_H
#define TRACESHIM_PRELOAD_HOOK_WINDOW_H

#include "preload/caller.h"

/* The call was made by a jump at the end of a function that another stub has called. */
#define TS_HOOK_WINDOW_OF_TAIL (UINT64_C(1) << 62)

/* Bytes of stack arguments that are copied for a function of which nothing is known. */
#define TS_HOOK_WINDOW_UNKNOWN 512u

/*
 * A call's stack arguments lie in the frame of the function that it returns to, whose unwind table tells where that
 * ends. A multiple of 16, at most TS_HOOK_WINDOW_UNKNOWN; that where the table does not tell; or
 * TS_HOOK_WINDOW_OF_TAIL. `caller`: that function at the call. Async-signal-safe.
 */
uint64_t ts_hook_window(const struct ts_caller *caller);

/* Other code may be at addresses from `low` up to `high`. */
void ts_hook_window_forget(uint64_t low, uint64_t high);

#endif
