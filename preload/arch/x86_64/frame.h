/*
 * Finding the frame of an instrumented function from inside the hook that it calls. Included as "frame.h"; the build
 * puts preload/arch/<cpu> on the include path.
 *
 * The canonical frame address is the one word that tells frames apart: gcc -O2 jumps to the exit hook, clang does not,
 * prologues differ, but the slot of the function's return address is where the call instruction put it, and its content
 * is the `call_site` that the hook is given. Where it lies follows from the hook's return address: the compiler's
 * unwind table has the rule for that very instruction.
 */
#ifndef TRACESHIM_PRELOAD_FRAME_H
#define TRACESHIM_PRELOAD_FRAME_H

#include <stdint.h>

/*
 * `frame` is the hook's __builtin_frame_address(0): [0] caller's rbp, [1] hook's return address, [2...] caller's words.
 * [0] is the hook's own: gone in a function that it jumps to at its end.
 */
static inline __attribute__((always_inline)) uint64_t ts_frame_pointer(const uint64_t *frame) {
    return frame[0];
}

static inline __attribute__((always_inline)) uint64_t ts_frame_hook_return(const uint64_t *frame) {
    return frame[1];
}

/* The address above the hook's own return address: CFA of the hook's frame. */
static inline __attribute__((always_inline)) uint64_t ts_frame_hook_cfa(const uint64_t *frame) {
    return (uint64_t)(frame + 2);
}

/*
 * Rules that were found, by the hook's return address; threads share the table. A hint is that address, all 47 bits of
 * it, above a rule of TS_FRAME_RULE_BITS. Up to TS_FRAME_DISTANCE_MOST a rule is the distance in words from the hook's
 * CFA to the return-address slot: the frame's size is fixed. TS_FRAME_BY_POINTER: the slot is the word above the one
 * that rbp points to. Others are for frame_rule.h. What a rule leads to is checked by what the slot holds.
 */
#define TS_FRAME_HINTS 16384
#define TS_FRAME_RULE_BITS 17
#define TS_FRAME_DISTANCE_MOST 0xffff
#define TS_FRAME_BY_POINTER 0x10001
extern uint64_t ts_frame_hints[TS_FRAME_HINTS];

/* Two calls of the hook are seldom closer than 16 bytes of code. */
static inline __attribute__((always_inline)) uint64_t *ts_frame_hint(uint64_t hook_return) {
    return &ts_frame_hints[hook_return / 16 % TS_FRAME_HINTS];
}

/* The rule for this return address; 1 << TS_FRAME_RULE_BITS or more: the hint is another's. */
static inline __attribute__((always_inline)) uint64_t ts_frame_rule(uint64_t hook_return) {
    return __atomic_load_n(ts_frame_hint(hook_return), __ATOMIC_RELAXED) ^ hook_return << TS_FRAME_RULE_BITS;
}

/* The CFA of the instrumented function that called the hook, where the hint tells. 0: it must be found. */
static inline __attribute__((always_inline)) uint64_t ts_frame_near_cfa(const uint64_t *frame, uint64_t call_site,
                                                                        uint64_t stack_end) {
    uint64_t rule = ts_frame_rule(ts_frame_hook_return(frame));
    const uint64_t *slot;
    if (rule <= TS_FRAME_DISTANCE_MOST)
        slot = frame + 2 + rule;
    else if (rule == TS_FRAME_BY_POINTER && ts_frame_pointer(frame) > (uint64_t)frame)
        slot = (const uint64_t *)(ts_frame_pointer(frame) + 8);
    else
        return 0;
    return (uint64_t)slot < stack_end && *slot == call_site ? (uint64_t)(slot + 1) : 0;
}

/*
 * The same by the unwind table of the function's module or, where that tells nothing, by search for the first word that
 * equals `call_site`, which an earlier call may have left behind. Nothing at or above `stack_end` is read. Never 0: a
 * frame whose beginning is not found gets the lowest place that it can have. `pointer` as the hook got it from
 * ts_frame_pointer. Async-signal-safe.
 */
uint64_t ts_frame_find_cfa(const uint64_t *frame, uint64_t pointer, uint64_t call_site, uint64_t stack_end);

/* Drops the hints for code at addresses from `low` up to `high`: other code is there now. */
void ts_frame_forget(uint64_t low, uint64_t high);

#endif
