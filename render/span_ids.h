/*
 * Ids of traces and spans, for formats that need them: the same in all of these, and in each rendering of the same
 * files, whatever else is shown.
 */
#ifndef TRACESHIM_RENDER_SPAN_IDS_H
#define TRACESHIM_RENDER_SPAN_IDS_H

#include "render/session.h"

#define TS_TRACE_ID_BYTES 16

/* Those of one stream. Two calls of a stream begin at different times, so that none has the id of another. */
struct ts_span_ids {
    uint64_t seed;
    uint64_t lowest_ns; /* begin of the first call so far; 0: none */
    uint64_t again;     /* calls that begin then besides it: a filter has cut their begins off */
};

struct ts_span_ids ts_span_ids_of(const struct ts_stream *stream);
/* Of the stream's next call, by its begin. Never 0. */
uint64_t ts_span_ids_next(struct ts_span_ids *ids, uint64_t start_ns);
/* Of something that happened and is no call. Never 0. */
uint64_t ts_span_ids_moment(const struct ts_span_ids *ids, uint64_t ns);

/* The id that all processes of the session share. Never all zero, but where the session has no process. */
void ts_span_ids_trace(const struct ts_session *session, uint8_t id[TS_TRACE_ID_BYTES]);

/* 16 hexadecimal digits. Returns their end. */
char *ts_span_id_write(char *to, uint64_t id);
/* 32 of them and a NUL. */
void ts_trace_id_write(char to[2 * TS_TRACE_ID_BYTES + 1], const uint8_t id[TS_TRACE_ID_BYTES]);

#endif
