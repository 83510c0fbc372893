/*
 * Chrome JSON ("Trace Event Format") of a replay, as viewers really read it: every call is one X event, written when
 * the call ends. The rules come from tests with Perfetto 58, speedscope 1.25 and catapult; each stands beside its code.
 */
#ifndef TRACESHIM_RENDER_CHROME_SINK_H
#define TRACESHIM_RENDER_CHROME_SINK_H

#include "render/chrome_flows.h"
#include "render/json_stream.h"
#include "render/longest.h"
#include "render/output_parts.h"
#include "render/replay.h"

/* Perfetto drops slices at depth 512 and deeper, one by one, with an error each: we drop them and say how many. */
#define TS_CHROME_DEPTH 512

/* Names longer than this are cut: each call repeats its function's. */
#define TS_CHROME_NAME_BYTES 4096

/*
 * Thread ids of tracks (stacks that a thread switches to) are given out from here: Linux has no thread id of 2^22 or
 * more (PID_MAX_LIMIT), and viewers take only those below 2^32.
 */
#define TS_CHROME_TRACK_TID UINT32_C(0x400000)

struct ts_chrome {
    struct ts_json_stream json;
    const struct ts_session *session;
    struct ts_chrome_name *names; /* by ts_function.id */
    size_t name_count;
    size_t name_capacity;
    struct ts_chrome_stream *current;
    struct ts_chrome_stream *streams;
    struct ts_chrome_flows flows;
    struct ts_longest longest;     /* which calls to write */
    struct ts_output_parts *parts; /* NULL: all goes into one file */
    struct ts_error part_error;    /* of the part that could not be begun: nothing is written after it */
    uint64_t part_begin;           /* bytes written when the current one began */
    uint32_t part;                 /* its number, from 1 */
    uint64_t calls;                /* X events written */
    uint64_t inherited;            /* of them: calls of the process that forked */
    uint64_t dropped_deep_calls;   /* not written: TS_CHROME_DEPTH calls around them are open */
    uint64_t dropped_short;        /* not written: `longest` does not keep them */
    uint64_t longest_dropped_ns;   /* the longest of those */
    uint64_t outer_unknown;
    uint32_t track_count;
    uint32_t thread_count;
    int any_event;
};

/*
 * Writes the document's begin and its processes. `session` is only read, and may be without processes. Every call will
 * be written; the caller may set `longest` before the replay.
 */
void ts_chrome_open(struct ts_chrome *chrome, const struct ts_session *session, FILE *out);

/* The sink uses ts_stream.user. */
struct ts_sink ts_chrome_sink(struct ts_chrome *chrome);

/* Writes the document's end and frees everything. 0, or -1 and the error when something could not be written. */
int ts_chrome_close(struct ts_chrome *chrome, struct ts_error *error);

/*
 * An M event up to its argument's value, which the caller writes before `}}`:
 * `{"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":`. Wants no time: viewers take M events first.
 */
void ts_chrome_begin_metadata(struct ts_chrome *chrome, const char *event, uint32_t pid, uint32_t tid,
                              const char *argument);

/* Of one part of the document: up to its first event of a thread, and from behind its last event on. */
void ts_chrome_begin_part(struct ts_chrome *chrome);
void ts_chrome_end_part(struct ts_chrome *chrome);

/* Frees what the sink holds; ts_chrome_close does it. */
void ts_chrome_free_sink(struct ts_chrome *chrome);

#endif
