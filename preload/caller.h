/* What a hook knows of the function that called it, or that jumped to it at its end. */
#ifndef TRACESHIM_PRELOAD_CALLER_H
#define TRACESHIM_PRELOAD_CALLER_H

#include <stdint.h>

struct ts_caller {
    uint64_t stack;       /* its stack pointer at the call: the CFA of the hook's frame */
    uint64_t pointer;     /* its frame pointer register, which may hold anything */
    uint64_t hook_return; /* where the hook returns to */
};

#endif
