/* The records of a thread's windows other than plain ENTER and EXIT, replayed one by one. */
#ifndef TRACESHIM_RENDER_THREAD_RECORD_H
#define TRACESHIM_RENDER_THREAD_RECORD_H

#include "render/thread_replay_private.h"

/* A tagged record of known length. Returns -1 when nothing behind it can be understood. */
int ts_thread_record_replay(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end);

/* An ENTER of `function` with the record at `behind`, which tells of it (render/callers.h) or not. */
void ts_thread_record_enter_told(struct ts_thread_replay *thread, struct ts_function *function, const uint32_t *behind,
                                 uint64_t clock);

#endif
