#include "frame.h"

/* Frames up to this many words are searched. */
#define SEARCH_WORDS 16384

uint64_t ts_frame_hints[TS_FRAME_HINTS];

/* Reads words of foreign frames, between their variables too. */
__attribute__((no_sanitize("address"))) uint64_t ts_frame_find_cfa(const uint64_t *frame, uint64_t call_site,
                                                                   uint64_t stack_end) {
    const uint64_t *words = frame + 2;
    uint64_t readable = stack_end > (uint64_t)words ? (stack_end - (uint64_t)words) / sizeof *words : 0;
    uint64_t pointed = (frame[0] - (uint64_t)words) / sizeof *words + 1; /* where a frame pointer leads */
    uint64_t *hint = ts_frame_hint(frame[1]), distance;
    int by_pointer = frame[0] % sizeof *words == 0 && pointed < readable && words[pointed] == call_site;
    if (readable > SEARCH_WORDS)
        readable = SEARCH_WORDS;
    if (by_pointer)
        distance = pointed;
    else
        for (distance = 0; distance < readable && words[distance] != call_site;)
            distance++;
    if (distance >= readable && !by_pointer)
        return (uint64_t)(words + 1); /* above every callee's CFA, not above its own: what is popped by it is dead */
    uint64_t stored = by_pointer || distance >= TS_FRAME_BY_POINTER ? TS_FRAME_BY_POINTER : distance;
    __atomic_store_n(hint, frame[1] << 32 >> 16 | stored, __ATOMIC_RELAXED);
    return (uint64_t)(words + distance + 1);
}
