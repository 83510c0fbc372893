#include "frame.h"

/* Frames up to this many words are searched; beyond, the frame is taken to begin at its lowest possible place. */
#define SEARCH_WORDS 16384

/*
 * For a hook's return address the distance to the return-address slot is nearly always the same: it is remembered, and
 * checked by the slot's content. One word an entry (pc << 32 | distance), so that threads may share the table.
 */
#define REMEMBERED 4096
static uint64_t remembered[REMEMBERED];

uint64_t ts_frame_find_cfa(const uint64_t *frame, uint64_t call_site, uint64_t stack_end) {
    const uint64_t *words = frame + 2;
    uint64_t near = ts_frame_near_cfa(frame, call_site, stack_end);
    if (near)
        return near;
    uint64_t readable =
        ((uint64_t)(words + SEARCH_WORDS) < stack_end ? SEARCH_WORDS : (stack_end - (uint64_t)words) / sizeof *words);
    uint64_t *entry = &remembered[(frame[1] >> 1) % REMEMBERED];
    uint64_t known = __atomic_load_n(entry, __ATOMIC_RELAXED);
    uint64_t distance = (uint32_t)known;
    if (known >> 32 == (uint32_t)frame[1] && distance < readable && words[distance] == call_site)
        return (uint64_t)(words + distance + 1);
    for (uint64_t i = 0; i < readable; i++)
        if (words[i] == call_site) {
            __atomic_store_n(entry, frame[1] << 32 | i, __ATOMIC_RELAXED);
            return (uint64_t)(words + i + 1);
        }
    /* Above every callee's CFA and not above its own: what is popped by it is dead. */
    return (uint64_t)(words + 1);
}
