/* The processes of a session by their numbers, in logarithmic time: a session may have tens of thousands. */
#ifndef TRACESHIM_RENDER_PROCESS_INDEX_H
#define TRACESHIM_RENDER_PROCESS_INDEX_H

#include "render/session.h"

/* Valid while the session's processes stay as they are. */
struct ts_process_index {
    size_t count;
    struct ts_process **by_pid;    /* then by start */
    struct ts_process **by_number; /* by file, then by number there */
};

void ts_process_index_make(struct ts_process_index *index, const struct ts_session *session);
void ts_process_index_free(struct ts_process_index *index);

/* The process that has this number in its file. NULL: none. */
struct ts_process *ts_process_index_numbered(const struct ts_process_index *index, const struct ts_trace *trace,
                                             uint32_t number);

/*
 * The first process of this pid that begins after `ns`; with `is_image`, the first that begins a file: an exec made it,
 * or it is the first of the session. NULL: none.
 */
struct ts_process *ts_process_index_after(const struct ts_process_index *index, uint32_t pid, uint64_t ns,
                                          bool is_image);

/*
 * When a process begins that was made at `ns` by the clock of another file, at the earliest: the clock of each file is
 * fitted on its own.
 */
uint64_t ts_process_index_begins_ns(uint64_t ns);

#endif
