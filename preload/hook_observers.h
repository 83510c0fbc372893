/*
 * Functions that are watched whatever is hooked, since the recorder must know of them: where exceptions begin and end.
 * Their calls are no events of their own.
 */
#ifndef TRACESHIM_PRELOAD_HOOK_OBSERVERS_H
#define TRACESHIM_PRELOAD_HOOK_OBSERVERS_H

#include <stdint.h>

/* Called before the function. `cfa`: what lies below it on the stack is the function's. */
typedef void ts_hook_observe_function(uint64_t cfa);

/* NULL: not a function to watch. */
ts_hook_observe_function *ts_hook_observer_of(const char *symbol);

#endif
