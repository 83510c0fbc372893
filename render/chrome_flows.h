/*
 * Arrows of a Chrome trace, from the call in which a thread made something (fork, exec, ...) to the first call of what
 * it made. Viewers hang them on the calls around their ends, which are known when these have been written: both events
 * of an arrow are written at the end, where both have such a call.
 */
#ifndef TRACESHIM_RENDER_CHROME_FLOWS_H
#define TRACESHIM_RENDER_CHROME_FLOWS_H

#include "render/json_stream.h"
#include "render/session_links.h"

struct ts_chrome_flow_end {
    uint32_t pid;
    uint32_t tid;
    uint64_t ns;
    bool is_bound;
};

struct ts_chrome_flows {
    struct ts_links links;
    struct ts_chrome_flow_end *begins; /* by link */
    struct ts_chrome_flow_end *ends;
};

/* What is left to bind in one stream. All zero: nothing. */
struct ts_chrome_stream_flows {
    const struct ts_link *out; /* that begin here, by time */
    size_t out_count;
    const struct ts_link *in; /* ends in the first call; NULL: none, or that has been written */
    uint64_t first_ns;        /* begin of the first call; 0: none yet */
};

void ts_chrome_flows_make(struct ts_chrome_flows *flows, const struct ts_session *session);
void ts_chrome_flows_free(struct ts_chrome_flows *flows);

void ts_chrome_flows_stream(const struct ts_chrome_flows *flows, const struct ts_stream *stream,
                            struct ts_chrome_stream_flows *left);

/* A call of the stream was written. Its callees were before. */
void ts_chrome_flows_bind(struct ts_chrome_flows *flows, struct ts_chrome_stream_flows *left, uint32_t pid,
                          uint32_t tid, uint64_t start_ns, uint64_t end_ns);

/* Each event follows another. */
void ts_chrome_flows_write(const struct ts_chrome_flows *flows, struct ts_json_stream *json);

#endif
