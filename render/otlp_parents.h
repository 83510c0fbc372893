/*
 * Which span the outermost calls of a thread belong to: the one that was open where the thread was made, or its process
 * forked, spawned or executed. Replays deliver those who make things before what they made.
 */
#ifndef TRACESHIM_RENDER_OTLP_PARENTS_H
#define TRACESHIM_RENDER_OTLP_PARENTS_H

#include "render/session_links.h"
#include "render/span_ids.h"

struct ts_otlp_parent {
    uint64_t span;  /* 0: none */
    bool is_remote; /* of another process */
};

struct ts_otlp_parents {
    struct ts_links links;
    struct ts_otlp_parent *begins; /* by link */
    bool *known;                   /* by link */
    uint8_t trace[TS_TRACE_ID_BYTES];
};

/* Of one stream: what it makes that no span is known for yet. */
struct ts_otlp_made {
    const struct ts_link *next; /* by time */
    size_t count;
};

void ts_otlp_parents_make(struct ts_otlp_parents *parents, const struct ts_session *session);
void ts_otlp_parents_free(struct ts_otlp_parents *parents);

/* Of the outermost calls of the stream: of what made its thread, else of who set TRACEPARENT for its process. */
struct ts_otlp_parent ts_otlp_parents_of(const struct ts_otlp_parents *parents, const struct ts_stream *stream);

struct ts_otlp_made ts_otlp_parents_made(const struct ts_otlp_parents *parents, const struct ts_stream *stream);

static inline bool ts_otlp_made_until(const struct ts_otlp_made *made, uint64_t ns) {
    return __builtin_expect(made->count != 0, 0) && made->next->from_ns <= ns;
}

/*
 * What the stream made up to `ns` was made in `span`, which is its innermost from `span_ns` on; 0: in none of this
 * stream. Returns whether anything was.
 */
bool ts_otlp_parents_bind(struct ts_otlp_parents *parents, struct ts_otlp_made *made, uint64_t ns, uint64_t span,
                          uint64_t span_ns);

/* The stream has ended: what it made outside of its calls belongs where it does itself. */
void ts_otlp_parents_finish(struct ts_otlp_parents *parents, const struct ts_stream *stream,
                            struct ts_otlp_parent parent);

#endif
