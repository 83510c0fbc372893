/* How the calls that were open where a part of a stream begins ended in it (sink_parts.h), in order. */
#ifndef TRACESHIM_RENDER_OUTER_ENDS_H
#define TRACESHIM_RENDER_OUTER_ENDS_H

#include "render/memory.h"
#include "render/sink_parts.h"

#include <stdlib.h>

/* All zero is none. */
struct ts_outer_ends {
    struct ts_outer_end *ends;
    size_t count;
    size_t capacity;
    bool next_failed; /* the call that ends next has failed */
};

static inline void ts_outer_ends_add(struct ts_outer_ends *ends, uint64_t end_ns, uint64_t in_calls,
                                     enum ts_leave_how how) {
    ends->ends =
        (struct ts_outer_end *)ts_memory_grow(ends->ends, &ends->capacity, ends->count + 1, sizeof *ends->ends);
    ends->ends[ends->count++] = (struct ts_outer_end){end_ns, in_calls, how, ends->next_failed};
    ends->next_failed = false;
}

static inline void ts_outer_ends_free(struct ts_outer_ends *ends) {
    free(ends->ends);
}

#endif
