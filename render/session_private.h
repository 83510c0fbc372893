/* What the session keeps beside its public face, for the parts of the renderer that make and replay it. */
#ifndef TRACESHIM_RENDER_SESSION_PRIVATE_H
#define TRACESHIM_RENDER_SESSION_PRIVATE_H

#include "render/session.h"
#include "render/trace_facts.h"

struct ts_session_process {
    struct ts_process process; /* first: a ts_process of a session is one of these */
    const struct ts_process_facts *facts;
    size_t order; /* index in ts_session.processes */
};

struct ts_session_stream {
    struct ts_stream stream; /* first: a ts_stream of a session is one of these */
    const struct ts_thread_facts *thread;
    uint64_t thread_start_ns;
    uint64_t told_end_ns; /* stream.end_ns before a replay moved it behind what it saw */
};

static inline const struct ts_process_facts *ts_process_facts_of(const struct ts_process *process) {
    return ((const struct ts_session_process *)process)->facts;
}

static inline const struct ts_thread_facts *ts_stream_thread(const struct ts_stream *stream) {
    return ((const struct ts_session_stream *)stream)->thread;
}

/* Adds a line to the warnings, unless it is there or there are very many. */
void ts_session_warn(struct ts_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A stream of a thread of `process`; the caller adds it to the session. */
struct ts_stream *ts_session_stream_new(struct ts_process *process, const struct ts_thread_facts *thread,
                                        uint32_t track);

/* Adds streams in the documented order; takes ownership of them, not of the array. */
void ts_session_add_streams(struct ts_session *session, struct ts_stream **streams, size_t count);

/* Sets the totals that need no replay. */
void ts_session_reset_totals(struct ts_session *session);

#endif
