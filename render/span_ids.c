#include "render/span_ids.h"

#include "render/hash_index.h"
#include "render/trace_file.h"

#include <string.h>

/* By the rule of collector/trace_format.h. */
struct ts_span_ids ts_span_ids_of(const struct ts_stream *stream) {
    uint64_t hash = ts_hash_mix((uint64_t)stream->thread << 32 | stream->track);
    const struct ts_trace *trace = stream->process->trace;
    hash = ts_hash_mix(hash ^ stream->process->number);
    if (trace)
        hash = ts_hash_mix_bytes(hash, trace->header.file_uuid, sizeof trace->header.file_uuid);
    return (struct ts_span_ids){.seed = hash};
}

static uint64_t not_zero(uint64_t id) {
    return id ? id : 1;
}

/* ts_hash_mix gives different numbers for different ones. */
uint64_t ts_span_ids_next(struct ts_span_ids *ids, uint64_t start_ns) {
    uint64_t again = 0;
    if (start_ns < ids->lowest_ns || !ids->lowest_ns) {
        ids->lowest_ns = start_ns;
        ids->again = 0;
    } else if (start_ns == ids->lowest_ns) {
        again = ++ids->again;
    }
    return not_zero(ts_hash_mix(ids->seed ^ ts_hash_mix(start_ns) ^ ts_hash_mix(again)));
}

uint64_t ts_span_ids_moment(const struct ts_span_ids *ids, uint64_t ns) {
    return not_zero(ts_hash_mix(ids->seed ^ ts_hash_mix(ns) ^ ts_hash_mix(UINT64_MAX)));
}

void ts_span_ids_trace(const struct ts_session *session, uint8_t id[TS_TRACE_ID_BYTES]) {
    memset(id, 0, TS_TRACE_ID_BYTES);
    if (session->process_count == 0)
        return;
    const struct ts_process *first = session->processes[0]; /* each file has one: the session's is that of its first */
    if (first->trace)
        memcpy(id, first->trace->header.trace_id, TS_TRACE_ID_BYTES);
    for (size_t i = 0; i < TS_TRACE_ID_BYTES; i++)
        if (id[i])
            return;
    uint64_t hash = ts_hash_mix(first->pid);
    if (first->trace)
        hash = ts_hash_mix_bytes(hash, first->trace->header.file_uuid, sizeof first->trace->header.file_uuid);
    hash = not_zero(hash);
    memcpy(id, &hash, sizeof hash);
}

static const char digits[] = "0123456789abcdef";

char *ts_span_id_write(char *to, uint64_t id) {
    for (int shift = 60; shift >= 0; shift -= 4)
        *to++ = digits[id >> shift & 15];
    return to;
}

void ts_trace_id_write(char to[2 * TS_TRACE_ID_BYTES + 1], const uint8_t id[TS_TRACE_ID_BYTES]) {
    for (size_t i = 0; i < TS_TRACE_ID_BYTES; i++) {
        *to++ = digits[id[i] >> 4];
        *to++ = digits[id[i] & 15];
    }
    *to = '\0';
}
