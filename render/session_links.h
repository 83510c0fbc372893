/*
 * Where things come from, for outputs that draw arrows: what a thread did (fork, exec, posix_spawn, making a thread)
 * and the thread that came of it.
 */
#ifndef TRACESHIM_RENDER_SESSION_LINKS_H
#define TRACESHIM_RENDER_SESSION_LINKS_H

#include "render/session.h"

struct ts_link {
    const char *what; /* "fork", "exec", "spawn", "thread" */
    const struct ts_process *from;
    uint32_t from_thread; /* number in its file */
    uint64_t from_ns;     /* before to_ns */
    const struct ts_process *to;
    uint32_t to_thread;
    uint64_t to_ns; /* first known time of that thread */
};

/* A link's number is its index + 1. All zero: none. */
struct ts_links {
    struct ts_link *links; /* by process, thread and time of their begin */
    size_t count;
    uint32_t *by_end; /* indexes, by process and thread of their end: at most one for each */
    size_t end_count;
};

void ts_links_make(struct ts_links *links, const struct ts_session *session);
void ts_links_free(struct ts_links *links);

/* Those that begin in the stream's thread, in order of time; *count is set. */
const struct ts_link *ts_links_from(const struct ts_links *links, const struct ts_stream *stream, size_t *count);
/* The one that ends there; NULL: none. */
const struct ts_link *ts_links_to(const struct ts_links *links, const struct ts_stream *stream);

#endif
