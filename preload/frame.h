/*
 * Finding the frame of an instrumented function from inside the hook that it calls.
 *
 * The canonical frame address is the one word that tells frames apart: compilers jump to the exit hook or call it,
 * prologues differ, but the stack pointer before the call of the function is one address for as long as it runs. Where
 * that is follows from the hook's return address: the compiler's unwind table has the rule for that very instruction.
 * The hook is given the function's return address as well, `call_site`: that the function's own slot for it holds the
 * same says that the rule is right.
 */
#ifndef TRACESHIM_PRELOAD_FRAME_H
#define TRACESHIM_PRELOAD_FRAME_H

#include "frame_rule.h"
#include "preload/caller.h"

#include <stdint.h>

/*
 * Rules that were found, by the hook's return address; threads share the table. A hint is that address, all bits of it
 * that differ, above a rule of TS_FRAME_RULE_BITS, whose meaning is for the architecture's frame_rule.h to tell.
 */
#define TS_FRAME_HINTS 16384
extern uint64_t ts_frame_hints[TS_FRAME_HINTS];

/* Two calls of the hook are seldom closer than 16 bytes of code. */
static inline __attribute__((always_inline)) uint64_t *ts_frame_hint(uint64_t hook_return) {
    return &ts_frame_hints[hook_return / 16 % TS_FRAME_HINTS];
}

/* The rule for this return address; TS_FRAME_NO_RULE or more: the hint is another's. */
static inline __attribute__((always_inline)) uint64_t ts_frame_rule(uint64_t hook_return) {
    return __atomic_load_n(ts_frame_hint(hook_return), __ATOMIC_RELAXED) ^ hook_return << TS_FRAME_KEY_SHIFT;
}

/* The CFA of the instrumented function that called the hook, where the hint tells. 0: it must be found. */
static inline __attribute__((always_inline)) uint64_t ts_frame_near_cfa(ts_caller_here caller, uint64_t call_site,
                                                                        uint64_t stack_end) {
    return ts_frame_rule_near(ts_frame_rule(ts_caller_hook_return(caller)), caller, call_site, stack_end);
}

/*
 * The same by the unwind table of the function's module or, where that tells nothing, by search. Nothing at or above
 * `stack_end` is read. Never 0: a frame whose beginning is not found gets the lowest place that it can have.
 * Async-signal-safe.
 */
uint64_t ts_frame_find_cfa(const struct ts_caller *caller, uint64_t call_site, uint64_t stack_end);

/* Drops the hints for code at addresses from `low` up to `high`: other code is there now. */
void ts_frame_forget(uint64_t low, uint64_t high);

#endif
