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
 * The CFA of the instrumented function that called the hook, where it is found at once: by the frame pointer, or among
 * the first words. 0: not there. Nothing at or above `stack_end` is read.
 */
static inline __attribute__((always_inline)) uint64_t ts_frame_near_cfa(const uint64_t *frame, uint64_t call_site,
                                                                        uint64_t stack_end) {
    const uint64_t *words = frame + 2;
    uint64_t caller_rbp = frame[0];
    if (caller_rbp - (uint64_t)frame < stack_end - 16 - (uint64_t)frame &&
        ((const uint64_t *)caller_rbp)[1] == call_site)
        return caller_rbp + 16;
    if (words[0] == call_site)
        return (uint64_t)(words + 1);
    if (words[1] == call_site)
        return (uint64_t)(words + 2);
    if (words[2] == call_site)
        return (uint64_t)(words + 3);
    return 0;
}

/* The same, looking further up; never 0: a frame whose beginning is not found gets the lowest place it can have. */
uint64_t ts_frame_find_cfa(const uint64_t *frame, uint64_t call_site, uint64_t stack_end);

#endif
