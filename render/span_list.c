#include "render/span_list.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

#define NOT_KEPT UINT32_MAX

struct ts_span_list_frame {
    uint32_t span;       /* index or NOT_KEPT */
    uint32_t last_child; /* the same; NOT_KEPT where there is none */
};

void ts_span_list_init(struct ts_span_list *list, size_t most_spans) {
    memset(list, 0, sizeof *list);
    list->most = most_spans < TS_SPAN_LIST_MOST ? most_spans : TS_SPAN_LIST_MOST;
    list->texts.most_bytes = TS_SPAN_LIST_ATTRIBUTE_BYTES / 2;
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_span_list *list = context;

    if (!stream->user) {
        struct ts_span_list_stream *made = ts_memory_new(1, sizeof *made);
        made->stream = stream;
        made->last_root = NOT_KEPT;
        made->most = list->most > list->kept_in_finished ? list->most - list->kept_in_finished : 0;
        list->streams =
            ts_memory_grow(list->streams, &list->stream_capacity, list->stream_count + 1, sizeof *list->streams);
        list->streams[list->stream_count++] = made;
        stream->user = made;
    }
    list->current = stream->user;
}

/* The new span's index, NOT_KEPT when it is beyond the bound. */
static uint32_t keep_span(struct ts_span_list *list, struct ts_span_list_stream *stream, const struct ts_span *span) {
    if (stream->count >= stream->most) {
        list->overflow = 1;
        return NOT_KEPT;
    }
    stream->spans = ts_memory_grow(stream->spans, &stream->capacity, stream->count + 1, sizeof *stream->spans);
    stream->spans[stream->count] = *span;
    return (uint32_t)stream->count++;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_span_list *list = context;
    struct ts_span_list_stream *stream = list->current;

    if (!stream)
        return;
    struct ts_span span = {.function = function, .start_ns = start_ns, .end_ns = start_ns};
    span.depth = (uint32_t)stream->depth;
    span.flags = flags & TS_ENTER_INHERITED ? TS_SPAN_INHERITED : 0;
    uint32_t *last = stream->depth ? &stream->frames[stream->depth - 1].last_child : &stream->last_root;
    if (*last != NOT_KEPT)
        stream->spans[*last].flags |= TS_SPAN_HAS_NEXT;
    uint32_t index = *last = keep_span(list, stream, &span);
    stream->frames =
        ts_memory_grow(stream->frames, &stream->frames_capacity, stream->depth + 1, sizeof *stream->frames);
    stream->frames[stream->depth++] = (struct ts_span_list_frame){.span = index, .last_child = NOT_KEPT};
    stream->total++;
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_span_list *list = context;
    struct ts_span_list_stream *stream = list->current;

    if (!stream || stream->depth == 0)
        return;
    uint32_t index = stream->frames[--stream->depth].span;
    if (index == NOT_KEPT)
        return;
    struct ts_span *span = &stream->spans[index];
    span->end_ns = end_ns > span->start_ns ? end_ns : span->start_ns;
    span->flags |= how == TS_LEAVE_UNFINISHED ? TS_SPAN_UNFINISHED : how == TS_LEAVE_UNWOUND ? TS_SPAN_UNWOUND : 0;
}

static void enter_frame(void *context, struct ts_function *function) {
    struct ts_span_list *list = context;
    struct ts_span_list_stream *stream = list->current;
    enter_call(context, function, 0, 0);
    if (stream && stream->frames[stream->depth - 1].span != NOT_KEPT)
        stream->spans[stream->frames[stream->depth - 1].span].flags |= TS_SPAN_FROM_STACK;
}

static void leave_frame(void *context) {
    leave_call(context, 0, TS_LEAVE_EXIT);
}

static void note_outer_unknown(void *context, uint64_t count) {
    struct ts_span_list *list = context;
    if (list->current)
        list->current->outer_unknown += count;
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_span_list *list = context;
    struct ts_span_list_stream *finished = stream->user;

    if (!finished)
        return;
    list->kept_in_finished += finished->count;
    free(finished->frames);
    finished->frames = NULL;
    finished->frames_capacity = finished->depth = 0;
    stream->user = NULL;
}

void ts_span_list_free(struct ts_span_list *list) {
    for (size_t i = 0; i < list->stream_count; i++) {
        free(list->streams[i]->spans);
        free(list->streams[i]->frames);
        free(list->streams[i]);
    }
    free(list->streams);
    for (size_t i = 0; i < list->list_count; i++)
        free(list->lists[i]);
    free(list->lists);
    free(list->attributes);
    ts_text_pool_free(&list->texts);
    memset(list, 0, sizeof *list);
}

uint64_t ts_span_list_total(const struct ts_span_list *list) {
    uint64_t total = 0;
    for (size_t i = 0; i < list->stream_count; i++)
        total += list->streams[i]->total;
    return total;
}

/* The innermost open span, NULL where there is none. */
static struct ts_span *open_span(struct ts_span_list *list) {
    struct ts_span_list_stream *stream = list->current;
    if (!stream || stream->depth == 0 || stream->frames[stream->depth - 1].span == NOT_KEPT)
        return NULL;
    return &stream->spans[stream->frames[stream->depth - 1].span];
}

static int keep_text(struct ts_span_list *list, struct ts_value *value) {
    if (value->kind == TS_VALUE_STRING || value->kind == TS_VALUE_WORD)
        value->string = ts_text_pool_add(&list->texts, value->string);
    else
        return 1;
    return value->string != NULL;
}

/* Makes the value the list's own; 0 when there is no room for it. */
static int keep_value(struct ts_span_list *list, struct ts_value *value) {
    if (value->kind != TS_VALUE_LIST)
        return keep_text(list, value);
    size_t bytes = value->list.count * sizeof(struct ts_value);
    if (list->texts.used_bytes + bytes > list->texts.most_bytes)
        return 0;
    list->texts.used_bytes += bytes;
    struct ts_value *items = ts_memory_new(value->list.count, sizeof *items);
    memcpy(items, value->list.items, bytes);
    value->list.items = items;
    list->lists = ts_memory_grow(list->lists, &list->list_capacity, list->list_count + 1, sizeof(struct ts_value *));
    list->lists[list->list_count++] = items;
    for (size_t i = 0; i < value->list.count; i++)
        if (!keep_text(list, &items[i]))
            return 0;
    return 1;
}

void ts_span_list_add_attribute(struct ts_span_list *list, const struct ts_attribute *attribute) {
    struct ts_span *span = open_span(list);
    struct ts_attribute own = *attribute;
    if (!span)
        return;
    if (list->attribute_count >= TS_SPAN_LIST_ATTRIBUTE_BYTES / 2 / sizeof *list->attributes ||
        !keep_value(list, &own.value)) {
        list->attributes_left_out++;
        return;
    }
    list->attributes = ts_memory_grow(list->attributes, &list->attribute_capacity, list->attribute_count + 1,
                                      sizeof *list->attributes);
    list->attributes[list->attribute_count++] = (struct ts_span_attribute){own, span->attributes};
    span->attributes = (uint32_t)list->attribute_count;
}

void ts_span_list_set_error(struct ts_span_list *list) {
    struct ts_span *span = open_span(list);
    if (span)
        span->flags |= TS_SPAN_ERROR;
}

static void add_attribute(void *context, const struct ts_attribute *attribute) {
    ts_span_list_add_attribute(context, attribute);
}

static void note_failure(void *context, const struct ts_failure *failure) {
    struct ts_attribute attribute = ts_failure_attribute(failure);
    ts_span_list_set_error(context);
    ts_span_list_add_attribute(context, &attribute);
}

static void add_moment(void *context, const struct ts_moment *moment) {
    enter_call(context, moment->function, moment->ns, 0);
    if (moment->is_error)
        ts_span_list_set_error(context);
    for (size_t i = 0; i < moment->attribute_count; i++)
        ts_span_list_add_attribute(context, &moment->attributes[i]);
    leave_call(context, moment->ns, TS_LEAVE_EXIT);
}

struct ts_sink ts_span_list_sink(struct ts_span_list *list) {
    return (struct ts_sink){.context = list,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_call,
                            .outer_unknown = note_outer_unknown,
                            .finish = finish_stream,
                            .attribute = add_attribute,
                            .frame_enter = enter_frame,
                            .frame_leave = leave_frame,
                            .moment = add_moment,
                            .failure = note_failure};
}
