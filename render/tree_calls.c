#include "render/memory.h"
#include "render/tree_views.h"

#include <inttypes.h>
#include <stdlib.h>

struct calls_view {
    const struct ts_span_list *list;
    struct ts_attribute *attributes; /* of the span being written */
    size_t capacity;
};

static void add(struct calls_view *view, size_t *count, const char *key, struct ts_value value) {
    view->attributes = ts_memory_grow(view->attributes, &view->capacity, *count + 1, sizeof *view->attributes);
    view->attributes[(*count)++] = (struct ts_attribute){.key = key, .value = value};
}

static void add_mark(struct calls_view *view, size_t *count, const char *key) {
    add(view, count, key, (struct ts_value){.kind = TS_VALUE_BOOLEAN, .boolean = true});
}

/* Its label, the span's own attributes as they were added, then what the recorder knows of it. Returns how many. */
static size_t collect_attributes(struct calls_view *view, const struct ts_span *span) {
    const struct ts_span_attribute *all = view->list->attributes;
    const char *label = ts_function_label(span->function);
    size_t count = 0;

    if (label)
        add(view, &count, "label", (struct ts_value){.kind = TS_VALUE_STRING, .string = label});
    for (uint32_t at = span->attributes; at; at = all[at - 1].previous)
        count++;
    view->attributes = ts_memory_grow(view->attributes, &view->capacity, count, sizeof *view->attributes);
    size_t place = count;
    for (uint32_t at = span->attributes; at; at = all[at - 1].previous)
        view->attributes[--place] = all[at - 1].attribute;
    if (span->flags & TS_SPAN_INHERITED)
        add_mark(view, &count, "inherited");
    if (span->flags & TS_SPAN_UNWOUND)
        add_mark(view, &count, "unwound");
    return count;
}

static struct ts_tree_line span_line(const struct ts_span *span) {
    struct ts_tree_line line = {.name = ts_function_name(span->function), .scope = ts_function_scope(span->function)};

    if (!ts_function_is_instant(span->function)) {
        line.duration_ns = span->end_ns - span->start_ns;
        line.unfinished = span->flags & TS_SPAN_UNFINISHED;
    }
    line.from_stack = span->flags & TS_SPAN_FROM_STACK;
    line.error = span->flags & TS_SPAN_ERROR;
    return line;
}

static void write_span(struct calls_view *view, const struct ts_span *span, struct ts_tree_text *text, unsigned depth) {
    struct ts_tree_line line = span_line(span);

    line.attribute_count = collect_attributes(view, span);
    line.attributes = view->attributes;
    ts_tree_text_write(text, depth + (uint64_t)span->depth, !(span->flags & TS_SPAN_HAS_NEXT), &line);
}

static void write_stream(const void *context, size_t root, struct ts_tree_text *text, unsigned depth,
                         uint64_t parent_ns) {
    struct calls_view view = {.list = context};
    const struct ts_span_list_stream *stream = view.list->streams[root];

    (void)parent_ns;
    for (size_t i = 0; i < stream->count; i++)
        write_span(&view, &stream->spans[i], text, depth);
    ts_tree_text_hide(text, stream->total - stream->count);
    free(view.attributes);
}

void ts_tree_write_calls_view(const struct ts_span_list *list, struct ts_tree_text *text) {
    struct ts_tree_root *roots = ts_memory_new(list->stream_count, sizeof *roots);

    for (size_t i = 0; i < list->stream_count; i++) {
        const struct ts_span_list_stream *stream = list->streams[i];
        roots[i] = (struct ts_tree_root){.stream = stream->stream,
                                         .outer_unknown = stream->outer_unknown,
                                         .empty = stream->total == 0 && stream->outer_unknown == 0};
    }
    ts_tree_write_roots(roots, list->stream_count, write_stream, list, text);
    ts_tree_text_end(text);
    if (list->attributes_left_out)
        fprintf(text->out, "… %" PRIu64 " attributes of later calls: more than fit into memory\n",
                list->attributes_left_out);
    free(roots);
}

void ts_tree_write_single(const struct ts_span_list *list, const struct ts_span *span, const struct ts_stream *stream,
                          const struct ts_tree_places *places, bool last, struct ts_tree_text *text) {
    struct calls_view view = {.list = list};
    struct ts_tree_line line = span_line(span);
    size_t count = collect_attributes(&view, span);
    uint64_t start = span->start_ns > places->begin_ns ? span->start_ns - places->begin_ns : 0;

    add(&view, &count, "start", (struct ts_value){.kind = TS_VALUE_DURATION, .duration_ns = start});
    if (places->several_threads) {
        add(&view, &count, "pid", (struct ts_value){.kind = TS_VALUE_UNSIGNED, .number = stream->process->pid});
        add(&view, &count, "tid", (struct ts_value){.kind = TS_VALUE_UNSIGNED, .number = stream->tid});
    }
    line.attribute_count = count;
    line.attributes = view.attributes;
    ts_tree_text_write(text, 0, last, &line);
    free(view.attributes);
}
