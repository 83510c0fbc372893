#include "frame.h"

/* Frames up to this many words are searched. */
#define SEARCH_WORDS 16384

uint16_t ts_frame_hints[TS_FRAME_HINTS];

uint64_t ts_frame_find_cfa(const uint64_t *frame, uint64_t call_site, uint64_t stack_end) {
    const uint64_t *words = frame + 2;
    uint64_t readable = stack_end > (uint64_t)words ? (stack_end - (uint64_t)words) / sizeof *words : 0;
    uint64_t distance = (frame[0] - (uint64_t)words) / sizeof *words + 1; /* where a frame pointer leads */
    if (readable > SEARCH_WORDS)
        readable = SEARCH_WORDS;
    if (frame[0] % sizeof *words || distance >= readable || words[distance] != call_site)
        for (distance = 0; distance < readable && words[distance] != call_site;)
            distance++;
    if (distance >= readable)
        return (uint64_t)(words + 1); /* above every callee's CFA, not above its own: what is popped by it is dead */
    __atomic_store_n(ts_frame_hint(frame[1]), (uint16_t)distance, __ATOMIC_RELAXED);
    return (uint64_t)(words + distance + 1);
}
