/*
 * A replay in speedscope's own format: a profile for each stream, of events that open and close frames. Events of a
 * profile stand together in the file, so where a thread switches between stacks all but the first go through a spool.
 */
#ifndef TRACESHIM_RENDER_SPEEDSCOPE_SINK_H
#define TRACESHIM_RENDER_SPEEDSCOPE_SINK_H

#include "render/function_rows.h"
#include "render/json_stream.h"
#include "render/replay.h"
#include "render/spool.h"

/* Deeper calls are left out and counted: speedscope goes through a profile by recursion. */
#define TS_SPEEDSCOPE_DEPTH 512

struct ts_speedscope {
    struct ts_json_stream json;
    struct ts_session *session;
    struct ts_function_rows rows; /* a frame each */
    uint64_t start_ns;            /* of the session: time 0 of every profile */
    struct ts_spool spool;
    struct ts_speedscope_stream *current;
    struct ts_speedscope_stream *direct; /* whose profile is being written; the others are in the spool */
    struct ts_speedscope_stream *streams;
    uint64_t dropped_deep_calls;
    int any_profile;
};

/* Up to the first profile. */
void ts_speedscope_open(struct ts_speedscope *speedscope, struct ts_session *session, FILE *out);

/* The sink uses ts_stream.user. */
struct ts_sink ts_speedscope_sink(struct ts_speedscope *speedscope);

/* `{"type":"evented","name":"...","unit":"nanoseconds",`, after a comma where there is a profile before it. */
void ts_speedscope_begin_profile(struct ts_speedscope *speedscope, const char *type, const struct ts_stream *stream);

/* The frames and the rest. Frees everything. 0, or -1 and the error. */
int ts_speedscope_close(struct ts_speedscope *speedscope, struct ts_error *error);

#endif
