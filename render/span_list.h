/*
 * Every span of a session in the order in which they began, stream by stream: what the tree's calls view prints. A
 * bound on the spans kept keeps memory small; those beyond are counted.
 */
#ifndef TRACESHIM_RENDER_SPAN_LIST_H
#define TRACESHIM_RENDER_SPAN_LIST_H

#include "render/attribute.h"
#include "render/replay.h"
#include "render/text_pool.h"

enum ts_span_flags {
    TS_SPAN_UNFINISHED = 1, /* end_ns is the last known time */
    TS_SPAN_UNWOUND = 2,
    TS_SPAN_INHERITED = 4,
    TS_SPAN_ERROR = 8,
    TS_SPAN_FROM_STACK = 32, /* no call that was recorded: it has no times */
    TS_SPAN_HAS_NEXT = 16,   /* another span with the same parent follows, kept or not */
};

struct ts_span {
    struct ts_function *function;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t depth; /* 0: no parent */
    uint32_t flags;
    uint32_t attributes; /* 0: none; else attributes[attributes - 1] of the list is its last one */
};

struct ts_span_attribute {
    struct ts_attribute attribute;
    uint32_t previous; /* of the same span, as ts_span.attributes */
};

struct ts_span_list_stream {
    struct ts_stream *stream;
    struct ts_span *spans; /* parents before their children */
    size_t count;          /* kept */
    size_t capacity;
    size_t most;            /* to keep */
    uint64_t total;         /* seen */
    uint64_t outer_unknown; /* open calls around them of which nothing is known */
    struct ts_span_list_frame *frames;
    size_t depth;
    size_t frames_capacity;
    uint32_t last_root;
};

struct ts_span_list {
    struct ts_span_list_stream **streams; /* in order of their first event */
    size_t stream_count;
    size_t stream_capacity;
    struct ts_span_list_stream *current;
    struct ts_span_attribute *attributes;
    size_t attribute_count;
    size_t attribute_capacity;
    struct ts_text_pool texts; /* of the attributes */
    struct ts_value **lists;   /* items of the attributes that are lists */
    size_t list_count;
    size_t list_capacity;
    uint64_t attributes_left_out; /* TS_SPAN_LIST_ATTRIBUTE_BYTES were used up */
    size_t most;
    size_t kept_in_finished;
    int overflow; /* a span was not kept; may be passed to ts_replay as `stop` */
};

/* The most that `most_spans` may be: more spans than anyone reads, less memory than most machines have. */
#define TS_SPAN_LIST_MOST ((size_t)16 << 20)

/* Of memory for attributes and their texts: those of later spans are left out and counted. */
#define TS_SPAN_LIST_ATTRIBUTE_BYTES ((size_t)512 << 20)

/*
 * Keeps the first `most_spans` lines of the printed tree at least: of each stream that many, less what the streams
 * finished before it hold. The sink uses ts_stream.user.
 */
void ts_span_list_init(struct ts_span_list *list, size_t most_spans);
struct ts_sink ts_span_list_sink(struct ts_span_list *list);
void ts_span_list_free(struct ts_span_list *list);

/* Spans seen in the whole session, kept or not. */
uint64_t ts_span_list_total(const struct ts_span_list *list);

/*
 * For the innermost open span of the selected stream; nothing happens where there is none or it was not kept. The value
 * is copied, the key is not.
 */
void ts_span_list_add_attribute(struct ts_span_list *list, const struct ts_attribute *attribute);
void ts_span_list_set_error(struct ts_span_list *list);

#endif
