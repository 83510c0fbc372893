#include "render/otlp_sink.h"

#include "render/memory.h"
#include "render/otlp_attributes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a span's `flags`: sampled; whether its parent is of another process is known; it is. */
#define FLAGS_LOCAL ",\"flags\":257,"
#define FLAGS_REMOTE ",\"flags\":769,"

/* The same for every call of a function. */
struct ts_otlp_function {
    char *name; /* `"name":"f","kind":1,"startTimeUnixNano":"`; NULL: not made yet */
    size_t name_bytes;
    struct ts_json_text source; /* attributes */
    const char *label;          /* NULL: none */
    uint32_t scope;             /* number */
};

struct frame {
    uint64_t start;
    uint64_t id;
    uint32_t function; /* ts_function.id */
    unsigned flags;
    size_t attributes; /* where its own begin in those of the stream */
    size_t events;     /* the same */
    uint64_t event_count;
    bool has_exception; /* among the events */
    bool is_parent;     /* of a span that was, or will be, written */
};

struct ts_otlp_stream {
    struct ts_otlp_stream *next;
    struct ts_otlp_stream *previous;
    const struct ts_stream *stream;
    struct ts_span_ids ids;
    struct ts_otlp_parent parent; /* of its outermost calls */
    struct ts_otlp_made made;
    struct ts_json_text thread;     /* attributes that are the same for every call */
    struct ts_json_text attributes; /* of the open calls, the innermost's last */
    struct ts_json_text events;     /* the same */
    struct ts_json_text status;     /* of the innermost call, which has failed and ends next; empty: it has not */
    struct ts_json_text exception;  /* by which it failed: attributes of an event */
    struct frame *frames;
    size_t depth;
    size_t capacity;
};

#define PUT(json, literal) ts_json_text_bytes(json, literal, sizeof literal - 1)

static void append(struct ts_json_text *json, const struct ts_json_text *from, size_t begin) {
    ts_json_text_bytes(json, from->used > begin ? from->text + begin : "", from->used - begin);
}

static void put_id(struct ts_json_text *json, uint64_t id) {
    char *begin = ts_json_text_room(json, 16);
    json->used += (size_t)(ts_span_id_write(begin, id) - begin);
}

static void make_function(struct ts_otlp *otlp, struct ts_otlp_function *made, struct ts_function *function) {
    const char *name = ts_function_name(function);
    struct ts_json_text text = {.text = NULL};
    PUT(&text, "\"name\":");
    ts_json_text_string(&text, *name ? name : "?");
    PUT(&text, ",\"kind\":1,\"startTimeUnixNano\":\"");
    made->name = text.text;
    made->name_bytes = text.used;
    made->label = ts_function_label(function);
    made->scope = ts_otlp_lines_scope(&otlp->lines, ts_function_scope(function));
    if (function->is_moment || ts_function_source(function) != 0)
        return;
    ts_otlp_attribute_add_text(&made->source, "code.function.name", name);
    ts_otlp_attribute_add_text(&made->source, "code.file.path", function->file);
    if (function->line)
        ts_otlp_attribute_add_number(&made->source, "code.line.number", function->line);
}

static const struct ts_otlp_function *know_function(struct ts_otlp *otlp, struct ts_function *function) {
    size_t need = (size_t)function->id + 1;
    if (otlp->function_count < need) {
        otlp->functions = ts_memory_grow(otlp->functions, &otlp->function_capacity, need, sizeof *otlp->functions);
        memset(otlp->functions + otlp->function_count, 0, (need - otlp->function_count) * sizeof *otlp->functions);
        otlp->function_count = need;
    }
    struct ts_otlp_function *known = &otlp->functions[function->id];
    if (!known->name)
        make_function(otlp, known, function);
    return known;
}

static struct ts_otlp_stream *add_stream(struct ts_otlp *otlp, const struct ts_stream *stream) {
    struct ts_otlp_stream *made = ts_memory_new(1, sizeof *made);
    made->stream = stream;
    made->ids = ts_span_ids_of(stream);
    made->parent = ts_otlp_parents_of(&otlp->parents, stream);
    made->made = ts_otlp_parents_made(&otlp->parents, stream);
    ts_otlp_attribute_add_number(&made->thread, "thread.id", stream->tid);
    ts_otlp_attribute_add_text(&made->thread, "thread.name", *stream->name ? stream->name : stream->process->name);
    if (stream->track)
        ts_otlp_attribute_add_number(&made->thread, "track", stream->track);
    made->next = otlp->streams;
    if (made->next)
        made->next->previous = made;
    otlp->streams = made;
    return made;
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_otlp *otlp = context;
    if (!stream->user)
        stream->user = add_stream(otlp, stream);
    otlp->current = stream->user;
}

static struct frame *innermost(const struct ts_otlp_stream *stream) {
    return stream && stream->depth ? &stream->frames[stream->depth - 1] : NULL;
}

/* What the thread made up to `ns` was made in its innermost call. */
static void bind_made(struct ts_otlp *otlp, struct ts_otlp_stream *stream, uint64_t ns) {
    struct frame *frame = innermost(stream);
    if (ts_otlp_made_until(&stream->made, ns) &&
        ts_otlp_parents_bind(&otlp->parents, &stream->made, ns, frame ? frame->id : 0, frame ? frame->start : 0))
        frame->is_parent = true;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_otlp *otlp = context;
    struct ts_otlp_stream *stream = otlp->current;
    if (!stream)
        return;
    const struct ts_otlp_function *known = know_function(otlp, function);
    bind_made(otlp, stream, start_ns ? start_ns - 1 : 0);
    if (stream->depth == stream->capacity)
        stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
    stream->frames[stream->depth++] = (struct frame){.start = start_ns,
                                                     .id = ts_span_ids_next(&stream->ids, start_ns),
                                                     .function = function->id,
                                                     .flags = flags,
                                                     .attributes = stream->attributes.used,
                                                     .events = stream->events.used};
    if (known->label)
        ts_otlp_attribute_add_text(&stream->attributes, "label", known->label);
}

static void add_attribute(void *context, const struct ts_attribute *attribute) {
    struct ts_otlp *otlp = context;
    if (innermost(otlp->current))
        ts_otlp_attribute_add(&otlp->current->attributes, attribute);
}

static void put_error(struct ts_json_text *json, const char *name, const char *message) {
    size_t bytes = strlen(name) + (message ? strlen(message) : 0) + 3;
    char *text = ts_memory_new(bytes, 1);
    snprintf(text, bytes, message ? "%s: %s" : "%s", name, message);
    PUT(json, "{\"code\":2,\"message\":");
    ts_json_text_string(json, text);
    PUT(json, "}");
    free(text);
}

/* `error` as every output has it, and OpenTelemetry's `error.type`, which knows an exception by its own type. */
static void note_failure(void *context, const struct ts_failure *failure) {
    struct ts_otlp *otlp = context;
    struct ts_otlp_stream *stream = otlp->current;
    if (!innermost(stream))
        return;
    const struct ts_attribute error = ts_failure_attribute(failure);
    char code[24];
    snprintf(code, sizeof code, "%" PRId64, failure->code);
    const char *name = failure->exception_type ? failure->exception_type : failure->name ? failure->name : code;
    const char *message = failure->exception_type ? failure->exception_message : failure->message;
    ts_otlp_attribute_add(&stream->attributes, &error);
    ts_otlp_attribute_add_text(&stream->attributes, "error.type", name);
    if (failure->error_number)
        ts_otlp_attribute_add_number(&stream->attributes, "errno", failure->error_number);
    stream->status.used = stream->exception.used = 0;
    put_error(&stream->status, name, message);
    if (!ts_failure_is_exception(failure))
        return;
    ts_otlp_attribute_add_text(&stream->exception, "exception.type", name);
    if (message)
        ts_otlp_attribute_add_text(&stream->exception, "exception.message", message);
}

static uint64_t unix_ns(const struct ts_otlp_stream *stream, uint64_t ns) {
    return ns + (uint64_t)stream->stream->process->realtime_offset_ns;
}

/* An event of the innermost call; `attributes` from `begin` on. */
static void add_event(struct ts_otlp_stream *stream, uint64_t ns, const char *name, struct ts_json_text *attributes,
                      size_t begin) {
    struct frame *frame = innermost(stream);
    struct ts_json_text *events = &stream->events;
    frame->has_exception |= !strcmp(name, "exception");
    if (frame->event_count++ >= TS_OTLP_EVENTS_MOST)
        return;
    PUT(events, "{\"timeUnixNano\":\"");
    ts_json_text_unsigned(events, unix_ns(stream, ns));
    PUT(events, "\",\"name\":");
    ts_json_text_string(events, name);
    PUT(events, ",\"attributes\":[");
    ts_otlp_end_list(attributes);
    append(events, attributes, begin);
    PUT(events, "]},");
}

static void put_events(struct ts_json_text *json, const struct ts_otlp_stream *stream, const struct frame *frame) {
    if (!frame->event_count)
        return;
    PUT(json, ",\"events\":[");
    append(json, &stream->events, frame->events);
    ts_otlp_end_list(json);
    PUT(json, "]");
    if (frame->event_count > TS_OTLP_EVENTS_MOST) {
        PUT(json, ",\"droppedEventsCount\":");
        ts_json_text_unsigned(json, frame->event_count - TS_OTLP_EVENTS_MOST);
    }
}

/* The span of a frame that has been taken off its stream's; `status` is an object. */
static void write_span(struct ts_otlp *otlp, const struct frame *frame, uint64_t duration,
                       const struct ts_json_text *status) {
    const struct ts_otlp_stream *stream = otlp->current;
    const struct ts_otlp_function *known = &otlp->functions[frame->function];
    const struct frame *around = innermost(stream);
    struct ts_otlp_parent parent = around ? (struct ts_otlp_parent){.span = around->id} : stream->parent;
    uint64_t start = unix_ns(stream, frame->start);
    struct ts_json_text *json = ts_otlp_lines_begin_span(&otlp->lines, stream->stream->process, known->scope);

    ts_json_text_bytes(json, otlp->trace, sizeof otlp->trace - 1);
    put_id(json, frame->id);
    if (parent.span) {
        PUT(json, "\",\"parentSpanId\":\"");
        put_id(json, parent.span);
    }
    PUT(json, "\"");
    if (parent.is_remote)
        PUT(json, FLAGS_REMOTE);
    else
        PUT(json, FLAGS_LOCAL);
    ts_json_text_bytes(json, known->name, known->name_bytes);
    ts_json_text_unsigned(json, start);
    PUT(json, "\",\"endTimeUnixNano\":\"");
    ts_json_text_unsigned(json, duration > UINT64_MAX - start ? UINT64_MAX : start + duration);
    PUT(json, "\",\"attributes\":[");
    append(json, &stream->attributes, frame->attributes);
    append(json, &known->source, 0);
    append(json, &stream->thread, 0);
    ts_otlp_end_list(json);
    PUT(json, "]");
    put_events(json, stream, frame);
    PUT(json, ",\"status\":");
    if (status->used)
        append(json, status, 0);
    else
        PUT(json, "{}");
    PUT(json, "}");
    ts_otlp_lines_end_span(&otlp->lines);
}

static bool keeps(struct ts_otlp *otlp, const struct frame *frame, uint64_t duration, enum ts_leave_how how) {
    if (ts_longest_keeps(&otlp->longest, duration, how) || frame->is_parent)
        return true;
    otlp->dropped_short++;
    if (duration > otlp->longest_dropped_ns)
        otlp->longest_dropped_ns = duration;
    return false;
}

static void add_marks(struct ts_json_text *attributes, unsigned flags, enum ts_leave_how how) {
    if (flags & TS_ENTER_INHERITED)
        ts_otlp_attribute_add_truth(attributes, "inherited");
    if (how == TS_LEAVE_UNWOUND)
        ts_otlp_attribute_add_truth(attributes, "unwound");
    if (how == TS_LEAVE_UNFINISHED)
        ts_otlp_attribute_add_truth(attributes, "unfinished");
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_otlp *otlp = context;
    struct ts_otlp_stream *stream = otlp->current;
    struct frame *frame = innermost(stream);
    if (!frame)
        return;
    bind_made(otlp, stream, end_ns);
    uint64_t duration = ts_longest_duration(frame->start, end_ns);
    if (keeps(otlp, frame, duration, how)) {
        if (stream->exception.used && !frame->has_exception)
            add_event(stream, end_ns, "exception", &stream->exception, 0);
        if (__builtin_expect(frame->flags & TS_ENTER_INHERITED || how != TS_LEAVE_EXIT, 0))
            add_marks(&stream->attributes, frame->flags, how);
        stream->depth--;
        if (stream->depth)
            innermost(stream)->is_parent = true;
        write_span(otlp, frame, duration, &stream->status);
        otlp->calls++;
        otlp->inherited += frame->flags & TS_ENTER_INHERITED;
    } else {
        stream->depth--;
    }
    stream->attributes.used = frame->attributes;
    stream->events.used = frame->events;
    stream->status.used = stream->exception.used = 0;
}

/* OpenTelemetry knows exceptions as events of one name, and their stacks as one attribute. */
static const char *event_name(const struct ts_moment *moment) {
    bool is_exception =
        moment->kind == TS_MOMENT_THROW || moment->kind == TS_MOMENT_RETHROW || moment->kind == TS_MOMENT_TERMINATE;
    return is_exception ? "exception" : ts_function_name(moment->function);
}

static void add_moment_attribute(struct ts_json_text *json, struct ts_attribute attribute) {
    if (!strcmp(attribute.key, "stack") || !strcmp(attribute.key, "exception.stack"))
        attribute.key = "exception.stacktrace";
    ts_otlp_attribute_add(json, &attribute);
}

/* In no call: a span of its own. */
static void write_moment_span(struct ts_otlp *otlp, const struct ts_moment *moment, struct frame *frame) {
    struct ts_otlp_stream *stream = otlp->current;
    struct ts_json_text status = {.text = NULL};
    know_function(otlp, moment->function);
    frame->start = moment->ns;
    frame->id = ts_span_ids_moment(&stream->ids, moment->ns);
    frame->function = moment->function->id;
    ts_otlp_attribute_add_truth(&stream->attributes, "moment");
    if (moment->is_error)
        put_error(&status, ts_function_name(moment->function), NULL);
    write_span(otlp, frame, 0, &status);
    ts_json_text_free(&status);
}

static void note_moment(void *context, const struct ts_moment *moment) {
    struct ts_otlp *otlp = context;
    struct ts_otlp_stream *stream = otlp->current;
    if (!stream)
        return;
    struct frame frame = {.attributes = stream->attributes.used, .events = stream->events.used};
    const char *name = event_name(moment);
    for (size_t i = 0; i < moment->attribute_count; i++)
        add_moment_attribute(&stream->attributes, moment->attributes[i]);
    if (!stream->depth)
        write_moment_span(otlp, moment, &frame);
    else {
        if (name != ts_function_name(moment->function))
            ts_otlp_attribute_add_text(&stream->attributes, "moment", ts_function_name(moment->function));
        add_event(stream, moment->ns, name, &stream->attributes, frame.attributes);
    }
    stream->attributes.used = frame.attributes;
}

static void count_outer_unknown(void *context, uint64_t count) {
    struct ts_otlp *otlp = context;
    otlp->outer_unknown += count;
}

static void free_stream(struct ts_otlp *otlp, struct ts_otlp_stream *stream) {
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        otlp->streams = stream->next;
    if (otlp->current == stream)
        otlp->current = NULL;
    ts_json_text_free(&stream->thread);
    ts_json_text_free(&stream->attributes);
    ts_json_text_free(&stream->events);
    ts_json_text_free(&stream->status);
    ts_json_text_free(&stream->exception);
    free(stream->frames);
    free(stream);
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_otlp *otlp = context;
    if (stream->user) {
        struct ts_otlp_stream *own = stream->user;
        ts_otlp_parents_finish(&otlp->parents, stream, own->parent);
        free_stream(otlp, own);
    }
    stream->user = NULL;
}

void ts_otlp_open(struct ts_otlp *otlp, const struct ts_session *session, FILE *out) {
    char trace[2 * TS_TRACE_ID_BYTES + 1];
    *otlp = (struct ts_otlp){.session = session};
    ts_otlp_lines_open(&otlp->lines, out);
    ts_otlp_parents_make(&otlp->parents, session);
    ts_trace_id_write(trace, otlp->parents.trace);
    snprintf(otlp->trace, sizeof otlp->trace, "{\"traceId\":\"%s\",\"spanId\":\"", trace);
}

struct ts_sink ts_otlp_sink(struct ts_otlp *otlp) {
    return (struct ts_sink){.context = otlp,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_call,
                            .outer_unknown = count_outer_unknown,
                            .finish = finish_stream,
                            .attribute = add_attribute,
                            .moment = note_moment,
                            .failure = note_failure};
}

void ts_otlp_free_sink(struct ts_otlp *otlp) {
    while (otlp->streams)
        free_stream(otlp, otlp->streams);
    for (size_t i = 0; i < otlp->function_count; i++) {
        free(otlp->functions[i].name);
        ts_json_text_free(&otlp->functions[i].source);
    }
    free(otlp->functions);
    ts_otlp_parents_free(&otlp->parents);
    otlp->functions = NULL;
    otlp->function_count = otlp->function_capacity = 0;
}
