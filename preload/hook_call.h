/* What happens in a stub before and after the call of the function that it stands for. Called by assembly alone. */
#ifndef TRACESHIM_PRELOAD_HOOK_CALL_H
#define TRACESHIM_PRELOAD_HOOK_CALL_H

#include "hook_stub.h"

#include <stdint.h>

struct ts_hook_way {
    uint64_t target; /* to call; 0: the call has been made */
    uint64_t detail; /* bytes of stack arguments to copy, a multiple of 16; TS_HOOK_JUMP; or the result of the call */
};

/* The target is jumped to: its end is not ours to see, and no frame of ours is to be unwound. */
#define TS_HOOK_JUMP UINT64_MAX

/* The one that the level asks for, which assembly calls. */
typedef struct ts_hook_way ts_hook_enter_function(const struct ts_hook_registers *registers,
                                                  const struct ts_hook_frame *frame);
extern ts_hook_enter_function *ts_hook_enter;
/* In the constructor, before anything is patched: whether calls are recorded with their callers. */
void ts_hook_call_begin(int has_callers);
/* Recording is paused, or not any more: what a call tells besides its time is not looked up. Async-signal-safe. */
void ts_hook_call_pause(int is_paused);
void ts_hook_exit(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame, uint64_t result);

/* A call that the shim has seen otherwise: records that it was made, not its end. */
void ts_hook_note_entry(uint32_t number, const struct ts_hook_registers *registers, uint64_t return_address);

/*
 * Personality routine of the stubs' frames (Itanium C++ ABI, exception handling, 1.6.2): while an exception or a forced
 * unwinding passes, the hooked call ends. It never catches.
 */
int ts_hook_personality(int version, int actions, uint64_t exception_class, void *exception, void *context);

#endif
