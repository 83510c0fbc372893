/*
 * A replay as a Perfetto trace (protobuf). Each thread is a sequence of packets with a clock of differences and a state
 * of its own: names by number, a default track. Sequences follow one another; the state is told again every
 * mebibyte, so that a reader who begins in the middle, or lost a part, understands the rest. A call is two packets,
 * its begin and its end; what is known of it (arguments, result, error) stands at its end.
 */
#ifndef TRACESHIM_RENDER_PERFETTO_SINK_H
#define TRACESHIM_RENDER_PERFETTO_SINK_H

#include "render/perfetto_notes.h"
#include "render/perfetto_packets.h"
#include "render/replay.h"
#include "render/session_links.h"

/* Perfetto drops the begin of slices at depth 512 and deeper, and takes their end for another's: we drop both. */
#define TS_PERFETTO_DEPTH 512

/* How a call of this function begins; or how a call ends. */
struct ts_perfetto_function {
    struct ts_deflate_piece piece; /* all of the packet but the difference of time; count 0: too long */
    uint32_t state;                /* that knows its name, and for which `piece` was made */
    uint32_t short_state;          /* the same, where there is nothing to write but `piece` */
    uint32_t category;             /* number */
    const char *label;             /* NULL: none */
};

struct ts_perfetto {
    struct ts_perfetto_packets packets;
    const struct ts_session *session;
    struct ts_links links;
    bool *begun;                            /* by link: its begin was written */
    struct ts_perfetto_function *functions; /* by ts_function.id + 1; the first is how a call ends */
    size_t function_count;
    size_t function_capacity;
    struct ts_perfetto_texts texts;
    struct ts_perfetto_strings categories;
    struct ts_perfetto_stream *current;
    struct ts_perfetto_stream *streams;
    const struct ts_process *process; /* whose thread the current sequence is */
    uint32_t thread;
    uint32_t sequence;         /* its number; 1 tells of the session */
    uint64_t sequence_track;   /* its default track; 0: there is no sequence yet */
    uint32_t state;            /* counts the states of all sequences */
    uint64_t state_written;    /* bytes of the file when it began */
    uint64_t last_ns;          /* on the sequence's clock */
    struct ts_protobuf packet; /* made next, as the following parts of it */
    struct ts_protobuf interned;
    struct ts_protobuf event;
    uint64_t track_count; /* those of the session's processes have the numbers from 1 on, in their order */
    const struct ts_process *told_process; /* of the newest track, and its own track */
    uint64_t told_track;
    struct ts_perfetto_notes facts;
    uint64_t calls;              /* written */
    uint64_t inherited;          /* of them: calls of the process that forked */
    uint64_t dropped_deep_calls; /* not written: TS_PERFETTO_DEPTH calls around them are open */
    uint64_t outer_unknown;
};

/* Writes the clocks and processes. `session` is only read. */
void ts_perfetto_open(struct ts_perfetto *perfetto, const struct ts_session *session, FILE *out);

/* The sink uses ts_stream.user. */
struct ts_sink ts_perfetto_sink(struct ts_perfetto *perfetto);

/* Writes what is known of the whole, and frees everything. 0, or -1 and the error. */
int ts_perfetto_close(struct ts_perfetto *perfetto, struct ts_error *error);

/* Frees what the sink holds; ts_perfetto_close does it. */
void ts_perfetto_free_sink(struct ts_perfetto *perfetto);

#endif
