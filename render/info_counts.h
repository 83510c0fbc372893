/* What a replay of a session counts for its certificate. */
#ifndef TRACESHIM_RENDER_INFO_COUNTS_H
#define TRACESHIM_RENDER_INFO_COUNTS_H

#include "render/replay.h"
#include "render/text_list.h"

struct ts_process_calls {
    uint64_t instrumented;
    uint64_t hooked;
};

/* All zero at first. */
struct ts_info_counts {
    uint64_t *calls; /* by ts_function.id; those beyond `count` were not called */
    size_t count;
    size_t capacity;
    struct ts_process_calls *processes; /* in the order of ts_session.processes */
    struct ts_process_calls *process;   /* of the stream that is replayed */
    struct ts_stream *stream;           /* that is replayed: its `user` is how many of its calls are open */
    uint64_t exceptions;                /* calls that an exception left, with an exit or without */
    uint64_t signals;                   /* handled, at level 3 */
    uint64_t moments[TS_MOMENT_KINDS];
    struct ts_text_list
        uncaught;  /* the first exceptions that ended a process: `Type 'message', thrown in f at c:4 < g` */
    uint64_t deep; /* calls with TS_CHROME_DEPTH others open around them, or more: viewers do not take them */
};

/* Replays the session. */
void ts_info_counts_make(struct ts_info_counts *counts, struct ts_session *session);
void ts_info_counts_free(struct ts_info_counts *counts);

uint64_t ts_info_counts_of(const struct ts_info_counts *counts, const struct ts_function *function);

#endif
