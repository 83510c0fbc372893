#include "render/html_timeline.h"

#include "render/chrome_arguments.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

struct frame {
    uint64_t start_ns;
    uint32_t row;
    uint32_t flags;
    size_t arguments; /* where its text begins in those of the stream */
};

struct ts_html_stream {
    uint32_t number;
    struct ts_chrome_arguments arguments; /* of the open calls */
    struct frame *frames;
    size_t depth;
    size_t capacity;
};

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_html_timeline *timeline = context;

    if (!stream->user) {
        struct ts_html_stream *made = ts_memory_new(1, sizeof *made);
        made->number = (uint32_t)timeline->stream_count;
        timeline->streams = ts_memory_grow(timeline->streams, &timeline->stream_capacity, timeline->stream_count + 1,
                                           sizeof(struct ts_stream *));
        timeline->streams[timeline->stream_count++] = stream;
        stream->user = made;
    }
    timeline->current = stream->user;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_html_timeline *timeline = context;
    struct ts_html_stream *stream = timeline->current;

    if (stream->depth == stream->capacity)
        stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
    stream->frames[stream->depth++] = (struct frame){
        .start_ns = start_ns,
        .row = ts_function_rows_of(timeline->rows, function),
        .flags = flags & TS_ENTER_INHERITED ? TS_HTML_INHERITED : 0,
        .arguments = stream->arguments.json.used,
    };
}

static size_t keep_text(struct ts_html_timeline *timeline, const char *text, size_t bytes) {
    if (bytes == 0)
        return 0;
    if (bytes > timeline->text_bytes_most - timeline->text_bytes) {
        timeline->without_arguments++;
        return 0;
    }
    timeline->texts = ts_memory_grow(timeline->texts, &timeline->text_capacity, timeline->text_bytes + bytes, 1);
    memcpy(timeline->texts + timeline->text_bytes, text, bytes);
    timeline->text_bytes += bytes;
    return bytes;
}

static void keep_span(struct ts_html_timeline *timeline, struct ts_html_span span, const char *text, size_t bytes) {
    span.arguments = timeline->text_bytes;
    span.argument_bytes = keep_text(timeline, text, bytes);
    timeline->spans =
        ts_memory_grow(timeline->spans, &timeline->span_capacity, timeline->span_count + 1, sizeof *timeline->spans);
    timeline->spans[timeline->span_count++] = span;
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_html_timeline *timeline = context;
    struct ts_html_stream *stream = timeline->current;
    const struct frame *frame = &stream->frames[--stream->depth];
    uint64_t duration = ts_longest_duration(frame->start_ns, end_ns);

    timeline->calls++;
    if (ts_longest_keeps(&timeline->longest, duration, how)) {
        struct ts_html_span span = {
            .start_ns = frame->start_ns,
            .end_ns = frame->start_ns + duration,
            .stream = stream->number,
            .row = frame->row,
            .depth = stream->depth < UINT32_MAX ? (uint32_t)stream->depth : UINT32_MAX,
            .flags = frame->flags | (how == TS_LEAVE_UNFINISHED ? TS_HTML_UNFINISHED : 0) |
                     (how == TS_LEAVE_UNWOUND ? TS_HTML_UNWOUND : 0),
        };
        size_t bytes = stream->arguments.json.used - frame->arguments;
        keep_span(timeline, span, bytes ? stream->arguments.json.text + frame->arguments : "", bytes);
    } else {
        timeline->left_out++;
        if (duration > timeline->longest_left_out_ns)
            timeline->longest_left_out_ns = duration;
    }
    stream->arguments.json.used = frame->arguments;
}

static void add_attribute(void *context, const struct ts_attribute *attribute) {
    struct ts_html_timeline *timeline = context;
    if (timeline->current && timeline->current->depth > 0)
        ts_chrome_arguments_add(&timeline->current->arguments, attribute);
}

static void note_failure(void *context, const struct ts_failure *failure) {
    struct ts_html_timeline *timeline = context;
    struct ts_html_stream *stream = timeline->current;

    if (!stream || stream->depth == 0)
        return;
    stream->frames[stream->depth - 1].flags |= TS_HTML_ERROR;
    ts_chrome_arguments_add_failure(&stream->arguments, failure);
}

static void add_moment(void *context, const struct ts_moment *moment) {
    struct ts_html_timeline *timeline = context;
    struct ts_html_stream *stream = timeline->current;

    if (!stream)
        return;
    if (timeline->moment_count == timeline->moments_most) {
        timeline->left_out++;
        return;
    }
    timeline->moment_count++;
    struct ts_chrome_arguments arguments = {0};
    for (size_t i = 0; i < moment->attribute_count; i++)
        ts_chrome_arguments_add(&arguments, &moment->attributes[i]);
    struct ts_html_span span = {
        .start_ns = moment->ns,
        .end_ns = moment->ns,
        .stream = stream->number,
        .row = ts_function_rows_of(timeline->rows, moment->function),
        .depth = stream->depth < UINT32_MAX ? (uint32_t)stream->depth : UINT32_MAX,
        .flags = TS_HTML_MOMENT | (moment->is_error ? TS_HTML_ERROR : 0),
    };
    keep_span(timeline, span, arguments.json.text, arguments.json.used);
    ts_chrome_arguments_free(&arguments);
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_html_timeline *timeline = context;
    struct ts_html_stream *made = stream->user;

    if (!made)
        return;
    if (timeline->current == made)
        timeline->current = NULL;
    ts_chrome_arguments_free(&made->arguments);
    free(made->frames);
    free(made);
    stream->user = NULL;
}

struct ts_sink ts_html_timeline_sink(struct ts_html_timeline *timeline) {
    return (struct ts_sink){
        .context = timeline,
        .select = select_stream,
        .enter = enter_call,
        .leave = leave_call,
        .finish = finish_stream,
        .attribute = add_attribute,
        .moment = add_moment,
        .failure = note_failure,
    };
}

static int compare(const void *left, const void *right) {
    const struct ts_html_span *a = left, *b = right;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

/* Depth among the spans that are kept: of calls that last equally long, an outer one may be left out. */
static void count_depths(struct ts_html_timeline *timeline) {
    uint64_t *ends = NULL; /* of the spans around the one at hand */
    size_t depth = 0, capacity = 0;

    for (size_t i = 0; i < timeline->span_count; i++) {
        struct ts_html_span *span = &timeline->spans[i];
        if (i == 0 || span->stream != span[-1].stream)
            depth = 0;
        while (depth > 0 && ends[depth - 1] <= span->start_ns)
            depth--;
        span->depth = (uint32_t)depth;
        if (span->flags & TS_HTML_MOMENT)
            continue;
        ends = ts_memory_grow(ends, &capacity, depth + 1, sizeof *ends);
        ends[depth++] = span->end_ns;
    }
    free(ends);
}

void ts_html_timeline_sort(struct ts_html_timeline *timeline) {
    if (timeline->span_count)
        qsort(timeline->spans, timeline->span_count, sizeof *timeline->spans, compare);
    count_depths(timeline);
}

void ts_html_timeline_free(struct ts_html_timeline *timeline) {
    free(timeline->spans);
    free(timeline->texts);
    free(timeline->streams);
    *timeline = (struct ts_html_timeline){0};
}
