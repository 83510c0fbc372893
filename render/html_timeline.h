/*
 * The calls that the HTML page's time-ordered view draws: the longest of the session (longest.h), with their arguments,
 * and what happened at single moments. A replay's sink that keeps them; memory is bound by how many are kept and by the
 * open calls.
 */
#ifndef TRACESHIM_RENDER_HTML_TIMELINE_H
#define TRACESHIM_RENDER_HTML_TIMELINE_H

#include "render/function_rows.h"
#include "render/longest.h"
#include "render/replay.h"

enum ts_html_span_flags {
    TS_HTML_ERROR = 1,
    TS_HTML_UNFINISHED = 2,
    TS_HTML_UNWOUND = 4,
    TS_HTML_INHERITED = 8,
    TS_HTML_MOMENT = 16, /* no call: start and end are the same */
};

struct ts_html_span {
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t stream; /* number, in order of ts_html_timeline.streams */
    uint32_t row;
    uint32_t depth;
    uint32_t flags;
    size_t arguments; /* JSON members, each with a comma behind it, in `texts` */
    size_t argument_bytes;
};

struct ts_html_timeline {
    struct ts_function_rows *rows;
    struct ts_longest longest; /* which to keep; set by the caller */
    size_t moments_most;
    size_t text_bytes_most; /* of all arguments; calls that come when they are used up have none */
    struct ts_html_span *spans;
    size_t span_count;
    size_t span_capacity;
    size_t moment_count;
    uint64_t calls;
    uint64_t left_out;            /* calls and moments that are not in `spans` */
    uint64_t longest_left_out_ns; /* of the calls */
    uint64_t without_arguments;   /* spans that had some */
    char *texts;
    size_t text_bytes;
    size_t text_capacity;
    struct ts_stream **streams; /* in order of their first event */
    size_t stream_count;
    size_t stream_capacity;
    struct ts_html_stream *current;
};

/* `rows` and the bounds are set, all else is zero. The sink uses ts_stream.user. */
struct ts_sink ts_html_timeline_sink(struct ts_html_timeline *timeline);

/* By stream, then in order of their start, outer calls first. */
void ts_html_timeline_sort(struct ts_html_timeline *timeline);

void ts_html_timeline_free(struct ts_html_timeline *timeline);

#endif
