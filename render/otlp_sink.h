/*
 * A replay as OTLP spans: each call is a span, written when it ends, with what is known of it by OpenTelemetry's names
 * where it has some. What happened in it (exceptions, signals, jumps) are its events, kept until then; what happens in
 * no call becomes a span without duration and with the attribute `moment`.
 */
#ifndef TRACESHIM_RENDER_OTLP_SINK_H
#define TRACESHIM_RENDER_OTLP_SINK_H

#include "render/longest.h"
#include "render/otlp_lines.h"
#include "render/otlp_parents.h"
#include "render/replay.h"

/* Events of one span, OpenTelemetry's own limit; later ones are counted, in the span's droppedEventsCount. */
#define TS_OTLP_EVENTS_MOST 128

struct ts_otlp {
    struct ts_otlp_lines lines;
    const struct ts_session *session;
    struct ts_otlp_parents parents;
    struct ts_longest longest;                                                            /* which calls to write */
    char trace[sizeof "{\"traceId\":\"00112233445566778899aabbccddeeff\",\"spanId\":\""]; /* what a span begins with */
    struct ts_otlp_function *functions;                                                   /* by ts_function.id */
    size_t function_count;
    size_t function_capacity;
    struct ts_otlp_stream *current;
    struct ts_otlp_stream *streams;
    uint64_t calls;              /* written */
    uint64_t inherited;          /* of them: calls of the process that forked */
    uint64_t dropped_short;      /* not written: `longest` does not keep them */
    uint64_t longest_dropped_ns; /* the longest of those */
    uint64_t outer_unknown;
};

/*
 * `session` is only read. Every call will be written; the caller may set `longest` before the replay: then those and,
 * however short, the calls that they happened in or that made their threads and processes.
 */
void ts_otlp_open(struct ts_otlp *otlp, const struct ts_session *session, FILE *out);

/* The sink uses ts_stream.user. */
struct ts_sink ts_otlp_sink(struct ts_otlp *otlp);

/* Writes what is known of the whole, and frees everything. 0, or -1 and the error. */
int ts_otlp_close(struct ts_otlp *otlp, struct ts_error *error);

/* Frees what the sink holds; ts_otlp_close does it. */
void ts_otlp_free_sink(struct ts_otlp *otlp);

#endif
