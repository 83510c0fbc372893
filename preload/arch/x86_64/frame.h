/*
 * Finding the frame of an instrumented function from inside the hook that it calls. Included as "frame.h"; the build
 * puts preload/arch/<cpu> on the include path.
 *
 * The canonical frame address is the one word that tells frames apart: gcc -O2 jumps to the exit hook, clang does not,
 * prologues differ, but the slot of the function's return address is where the call instruction put it, and its content
 * is the `call_site` that the hook is given.
 */
#ifndef TRACESHIM_PRELOAD_FRAME_H
#define TRACESHIM_PRELOAD_FRAME_H

#include <stdint.h>

/* `frame` is the hook's __builtin_frame_address(0): [0] caller's rbp, [1] hook's return address, [2...] caller's words.
 */
static inline __attribute__((always_inline)) uint64_t ts_frame_hook_return(const uint64_t *frame) {
    return frame[1];
}

/* The address above the hook's own return address: CFA of the hook's frame. */
static inline __attribute__((always_inline)) uint64_t ts_frame_hook_cfa(const uint64_t *frame) {
    return (uint64_t)(frame + 2);
}

/*
 * Distance in words from the hook's CFA to the return-address slot, by the hook's return address: a prologue is always
 * the same. An entry is the low half of that address << 16 | distance. Where the function has a frame pointer the
 * distance may vary (alloca), and the slot of an outer frame of the same call site may lie where it was before: the
 * entry is then TS_FRAME_BY_POINTER, and the pointer is followed. Checked by what the slot holds; threads share the
 * table.
 */
#define TS_FRAME_HINTS 8192
#define TS_FRAME_BY_POINTER 0xffff
extern uint64_t ts_frame_hints[TS_FRAME_HINTS];

static inline __attribute__((always_inline)) uint64_t *ts_frame_hint(uint64_t hook_return) {
    return &ts_frame_hints[hook_return % TS_FRAME_HINTS];
}

/* The CFA of the instrumented function that called the hook, where the hint holds. 0: search. */
static inline __attribute__((always_inline)) uint64_t ts_frame_near_cfa(const uint64_t *frame, uint64_t call_site,
                                                                        uint64_t stack_end) {
    uint64_t hint = *ts_frame_hint(ts_frame_hook_return(frame));
    const uint64_t *slot = frame + 2 + (uint16_t)hint;
    if (hint >> 16 != (uint32_t)ts_frame_hook_return(frame))
        return 0;
    if ((uint16_t)hint == TS_FRAME_BY_POINTER)
        slot = (const uint64_t *)(frame[0] + 8);
    return (uint64_t)slot > (uint64_t)frame && (uint64_t)slot < stack_end && *slot == call_site ? (uint64_t)(slot + 1)
                                                                                                : 0;
}

/*
 * The same by search, by the frame pointer or word by word; nothing at or above `stack_end` is read. Never 0: a frame
 * whose beginning is not found gets the lowest place that it can have.
 */
uint64_t ts_frame_find_cfa(const uint64_t *frame, uint64_t call_site, uint64_t stack_end);

#endif
