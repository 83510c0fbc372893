/* Which thread a THREAD_NAME record means: it names a thread pointer, which another thread may get later. */
#ifndef TRACESHIM_RENDER_THREAD_NAMES_H
#define TRACESHIM_RENDER_THREAD_NAMES_H

#include "render/trace_facts.h"

struct ts_thread_names;

struct ts_thread_names *ts_thread_names_new(void);
void ts_thread_names_free(struct ts_thread_names *names);

/* Takes ownership of `name`. */
void ts_thread_names_add(struct ts_thread_names *names, uint32_t process, uint64_t thread_pointer, uint64_t clock,
                         char *name);

/*
 * Gives every thread its last name. A name belongs to the first thread with that pointer that had not ended at the
 * time; the last one with the pointer also takes those after its last record, unless it said that it ended. The thread
 * that came out of fork has the name of the one that went in, until it gets another.
 */
void ts_thread_names_assign(const struct ts_thread_names *names, struct ts_facts *facts);

#endif
