/*
 * Which calls of a replay are shown: stands between ts_replay and any sink (ts_session.filter), so that every output
 * obeys the same options. A call is a match when it meets all of `min_ns`, `ended_from_ns`, `errors` and `callers`;
 * matches are shown below the calls that they happened in. What is left out counts as its caller's own time.
 * Memory: one frame per open call and what its attributes take.
 */
#ifndef TRACESHIM_RENDER_SPAN_FILTER_H
#define TRACESHIM_RENDER_SPAN_FILTER_H

#include "render/replay.h"

/* All zero but `to_ns` lets everything pass. Texts are the caller's; patterns are names or globs. */
struct ts_span_filter {
    uint64_t depth;         /* calls nested deeper, counted from what is shown outermost, are left out; 0: none are */
    uint64_t min_ns;        /* matches last as long at least */
    uint64_t from_ns;       /* since the trace's start: calls that run between from_ns and to_ns, cut to that */
    uint64_t to_ns;         /* the first moment that is not shown, above from_ns; UINT64_MAX: to the end */
    uint64_t ended_from_ns; /* CLOCK_MONOTONIC: matches end then or later */
    bool errors;            /* matches have failed */
    bool alone;             /* matches are shown without the calls around them, each when it ends, with `in=` */
    const char *focus;      /* only calls of this function and what happens in them; NULL: all */
    const char *callers;    /* matches are calls of this function, shown without what happens in them; NULL: any */
    const char *thread;     /* its name or tid; NULL: all */
    const char *process;    /* its name or pid; NULL: all */
    const struct ts_filter_options *options; /* that a person gave (filter_options.h); NULL: nobody did */
};

/* Whether anything of this stream may be shown. */
bool ts_span_filter_wants(const struct ts_span_filter *filter, const struct ts_stream *stream);

/* The CLOCK_MONOTONIC ns from and to which the session is shown. */
struct ts_span_time {
    uint64_t from_ns;
    uint64_t to_ns;
};
struct ts_span_time ts_span_filter_time(const struct ts_span_filter *filter, const struct ts_session *session);

struct ts_filtered; /* a filter at work in one replay */

/* `sink`, `filter` and `session` must outlive it; every member of `sink` that a replay calls unasked must be set. */
struct ts_filtered *ts_filtered_new(const struct ts_span_filter *filter, const struct ts_session *session,
                                    const struct ts_sink *sink);
/* What the replay is to call. Uses ts_stream.filter. */
struct ts_sink ts_filtered_sink(struct ts_filtered *filtered);
/* Whether there was anything to show. */
bool ts_filtered_matched(const struct ts_filtered *filtered);
void ts_filtered_free(struct ts_filtered *filtered);

#endif
