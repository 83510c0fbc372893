/*
 * Functions that are watched whatever is hooked, since the shim must know of them: where exceptions begin and end,
 * jumps out of frames, and what the program does at its end. Their calls are no events of their own.
 */
#ifndef TRACESHIM_PRELOAD_HOOK_OBSERVERS_H
#define TRACESHIM_PRELOAD_HOOK_OBSERVERS_H

#include "hook_stub.h"

#include <stdint.h>

/* Called before the function. `cfa`: what lies below it on the stack is the function's. */
typedef void ts_hook_observe_function(uint64_t cfa);

/* Makes the call itself, and more; returns its result. `target`: the function. */
typedef uint64_t ts_hook_perform_function(uint64_t target, const struct ts_hook_registers *registers);

/* How a function is watched: one of the two. */
struct ts_hook_observer {
    const char *symbol;
    ts_hook_observe_function *observe;
    ts_hook_perform_function *perform;
};

/* NULL: not a function to watch. */
const struct ts_hook_observer *ts_hook_observer_of(const char *symbol);

#endif
