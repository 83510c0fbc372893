/*
 * Functions that are watched whatever is hooked, since the shim must know of them: where exceptions begin and end,
 * jumps out of frames, and what the program does at its end. Their calls are no calls to be recorded.
 */
#ifndef TRACESHIM_PRELOAD_HOOK_OBSERVERS_H
#define TRACESHIM_PRELOAD_HOOK_OBSERVERS_H

#include "hook_stub.h"

#include <stdint.h>

struct ts_module;

/*
 * Called before the function, with the registers and the frame of its stub. Returns how the function is to be called:
 * TS_HOOK_JUMP, or as struct ts_hook_way.detail, where a call was recorded, whose exit the stub then records.
 */
typedef uint64_t ts_hook_observe_function(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame);

/* Makes the call itself, and more; returns its result. `target`: the function. */
typedef uint64_t ts_hook_perform_function(uint64_t target, const struct ts_hook_registers *registers);

/* How a function is watched: one of the two. */
struct ts_hook_observer {
    const char *symbol;
    ts_hook_observe_function *observe;
    ts_hook_perform_function *perform;
    void (*made)(const struct ts_module *owner); /* the function's module is known; NULL: no matter */
};

/* From level 3 on exceptions and jumps are events of their own. Once, before modules are patched. */
void ts_hook_observers_begin(int level);

/* NULL: not a function to watch. */
const struct ts_hook_observer *ts_hook_observer_of(const char *symbol);

#endif
