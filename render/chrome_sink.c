#include "render/chrome_sink.h"

#include "render/chrome_arguments.h"
#include "render/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* `,{"name":"f","cat":"app",`: the same for every call of a function. Never the first event of the file. */
struct ts_chrome_name {
    char *text;
    size_t bytes;
    const char *label; /* the function's; NULL: none */
};

struct frame {
    uint64_t start;
    const char *name; /* text of a ts_chrome_name */
    size_t name_bytes;
    size_t arguments; /* where its text begins in those of the stream */
    unsigned flags;
};

struct ts_chrome_stream {
    struct ts_chrome_stream *next;
    struct ts_chrome_stream *previous;
    uint64_t depth; /* open calls; those beyond TS_CHROME_DEPTH have no frame */
    const struct ts_stream *stream;
    uint32_t tid;
    uint32_t number; /* among the threads of the file */
    uint32_t part;   /* that knows its name */
    struct ts_chrome_stream_flows flows;
    char common[80]; /* `"ph":"X","pid":1,"tid":2,"ts":`: the same for every call of a stream */
    size_t common_bytes;
    struct ts_chrome_arguments arguments; /* of the open calls */
    struct frame *frames;                 /* as many as its calls ever nested: there may be a million streams */
    size_t frame_capacity;
};

/* What `common` begins with. */
static const char common_phase[] = "\"ph\":\"X\",";

#define NAME_FRAME ",\n{\"name\":\"\",\"cat\":\"\","
#define EVENT_BYTES                                                                                                    \
    (2 * TS_JSON_ESCAPED_BYTES(TS_CHROME_NAME_BYTES) + sizeof NAME_FRAME +                                             \
     sizeof((struct ts_chrome_stream *)0)->common + 2 * TS_JSON_MICROSECONDS_BYTES)
static_assert(EVENT_BYTES <= TS_JSON_STREAM_ROOM, "an event must fit into the room of one");

static char *put(char *to, const char *text, size_t bytes) {
    memcpy(to, text, bytes);
    return to + bytes;
}

#define PUT(to, literal) put(to, literal, sizeof literal - 1)

static size_t escaped_bytes(const char *text) {
    size_t bytes = strlen(text);
    return TS_JSON_ESCAPED_BYTES(bytes < TS_CHROME_NAME_BYTES ? bytes : TS_CHROME_NAME_BYTES);
}

/* catapult fails on an empty name. `cat` is the scope: it tells functions of one name in two modules apart. */
static struct ts_chrome_name make_name(struct ts_function *function) {
    const char *name = ts_function_name(function);
    const char *scope = ts_function_scope(function);
    char *text = ts_memory_new(escaped_bytes(name) + escaped_bytes(scope) + sizeof NAME_FRAME + 1, 1);

    char *end = PUT(text, ",\n{\"name\":\"");
    end = ts_json_escape(end, *name ? name : "?", TS_CHROME_NAME_BYTES);
    end = PUT(end, "\",\"cat\":\"");
    end = ts_json_escape(end, scope, TS_CHROME_NAME_BYTES);
    end = PUT(end, "\",");
    return (struct ts_chrome_name){.text = text, .bytes = (size_t)(end - text), .label = ts_function_label(function)};
}

static void add_name(struct ts_chrome *chrome, struct ts_function *function) {
    size_t need = (size_t)function->id + 1;

    if (chrome->name_count < need) {
        chrome->names = ts_memory_grow(chrome->names, &chrome->name_capacity, need, sizeof *chrome->names);
        memset(chrome->names + chrome->name_count, 0, (need - chrome->name_count) * sizeof *chrome->names);
        chrome->name_count = need;
    }
    chrome->names[function->id] = make_name(function);
}

void ts_chrome_begin_metadata(struct ts_chrome *chrome, const char *event, uint32_t pid, uint32_t tid,
                              const char *argument) {
    struct ts_json_stream *json = &chrome->json;

    ts_json_stream_text(json, chrome->any_event ? ",\n{\"ph\":\"M\",\"name\":\"" : "\n{\"ph\":\"M\",\"name\":\"");
    chrome->any_event = 1;
    ts_json_stream_text(json, event);
    ts_json_stream_text(json, "\",\"pid\":");
    ts_json_stream_unsigned(json, pid);
    ts_json_stream_text(json, ",\"tid\":");
    ts_json_stream_unsigned(json, tid);
    ts_json_stream_text(json, ",\"args\":{\"");
    ts_json_stream_text(json, argument);
    ts_json_stream_text(json, "\":");
}

static void write_thread(struct ts_chrome *chrome, struct ts_chrome_stream *own) {
    const struct ts_stream *stream = own->stream;
    uint32_t tid = own->tid;
    const char *name = *stream->name ? stream->name : stream->process->name;

    ts_chrome_begin_metadata(chrome, "thread_name", stream->process->pid, tid, "name");
    if (stream->track) {
        char *text = ts_memory_text("%s, track %u", name, (unsigned)stream->track);
        ts_json_stream_string(&chrome->json, text);
        free(text);
    } else {
        ts_json_stream_string(&chrome->json, *name ? name : "?");
    }
    ts_json_stream_text(&chrome->json, "}}");
    ts_chrome_begin_metadata(chrome, "thread_sort_index", stream->process->pid, tid, "sort_index");
    ts_json_stream_unsigned(&chrome->json, own->number);
    ts_json_stream_text(&chrome->json, "}}");
    own->part = chrome->part;
}

/* The current part is as large as it should be: another begins with the same processes. */
static void begin_next_part(struct ts_chrome *chrome) {
    ts_chrome_end_part(chrome);
    ts_json_stream_flush(&chrome->json);
    FILE *out = ts_output_parts_next(chrome->parts, &chrome->part_error);
    if (out) {
        chrome->json.out = out;
    } else {
        chrome->parts = NULL;
        chrome->json.failed = EIO;
    }
    ts_chrome_begin_part(chrome);
}

/* Before each event of a stream, where there are parts. */
static void prepare_part(struct ts_chrome *chrome, struct ts_chrome_stream *stream) {
    if (ts_json_stream_written(&chrome->json) - chrome->part_begin >= chrome->parts->bytes)
        begin_next_part(chrome);
    if (stream->part != chrome->part)
        write_thread(chrome, stream);
}

static struct ts_chrome_stream *add_stream(struct ts_chrome *chrome, const struct ts_stream *stream) {
    struct ts_chrome_stream *made = ts_memory_new(1, sizeof *made);
    uint32_t tid = stream->track ? TS_CHROME_TRACK_TID + chrome->track_count++ : stream->tid;

    char *end = put(made->common, common_phase, sizeof common_phase - 1);
    end = PUT(end, "\"pid\":");
    end = ts_json_unsigned(end, stream->process->pid);
    end = PUT(end, ",\"tid\":");
    end = ts_json_unsigned(end, tid);
    end = PUT(end, ",\"ts\":");
    made->common_bytes = (size_t)(end - made->common);
    made->stream = stream;
    made->tid = tid;
    made->number = chrome->thread_count++;
    ts_chrome_flows_stream(&chrome->flows, stream, &made->flows);
    write_thread(chrome, made);

    made->next = chrome->streams;
    if (made->next)
        made->next->previous = made;
    chrome->streams = made;
    return made;
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_chrome *chrome = context;

    if (!stream->user)
        stream->user = add_stream(chrome, stream);
    chrome->current = stream->user;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_chrome *chrome = context;
    struct ts_chrome_stream *stream = chrome->current;

    if (!stream)
        return;
    if (stream->depth >= TS_CHROME_DEPTH) {
        stream->depth++;
        chrome->dropped_deep_calls++;
        return;
    }
    if (function->id >= chrome->name_count || !chrome->names[function->id].text)
        add_name(chrome, function);
    const struct ts_chrome_name *name = &chrome->names[function->id];
    if (__builtin_expect(stream->flows.first_ns == 0, 0))
        stream->flows.first_ns = start_ns;
    if (stream->depth == stream->frame_capacity)
        stream->frames =
            ts_memory_grow(stream->frames, &stream->frame_capacity, stream->depth + 1, sizeof *stream->frames);
    stream->frames[stream->depth++] = (struct frame){.start = start_ns,
                                                     .name = name->text,
                                                     .name_bytes = name->bytes,
                                                     .arguments = stream->arguments.json.used,
                                                     .flags = flags};
    if (__builtin_expect(name->label != NULL, 0))
        ts_chrome_arguments_add(&stream->arguments,
                                &(struct ts_attribute){"label", {.kind = TS_VALUE_STRING, .string = name->label}});
}

/* Whether the innermost open call of the selected stream is one that will be written. */
static int has_frame(const struct ts_chrome_stream *stream) {
    return stream && stream->depth > 0 && stream->depth <= TS_CHROME_DEPTH;
}

static void add_attribute(void *context, const struct ts_attribute *attribute) {
    struct ts_chrome *chrome = context;
    if (has_frame(chrome->current))
        ts_chrome_arguments_add(&chrome->current->arguments, attribute);
}

static void note_failure(void *context, const struct ts_failure *failure) {
    struct ts_chrome *chrome = context;
    if (has_frame(chrome->current))
        ts_chrome_arguments_add_failure(&chrome->current->arguments, failure);
}

/* The call's attributes, then what the recorder knows of it. Some are there. */
static void write_arguments(struct ts_json_stream *json, const char *text, size_t bytes, unsigned flags,
                            enum ts_leave_how how) {
    int separate = bytes > 0;
    ts_json_stream_text(json, ",\"args\":{");
    if (bytes)
        ts_json_stream_bytes(json, text, bytes - 1); /* without the comma at its end */
    if (flags & TS_ENTER_INHERITED) {
        ts_json_stream_text(json, separate ? ",\"inherited\":true" : "\"inherited\":true");
        separate = 1;
    }
    if (how == TS_LEAVE_UNWOUND)
        ts_json_stream_text(json, separate ? ",\"unwound\":true" : "\"unwound\":true");
    if (how == TS_LEAVE_UNFINISHED)
        ts_json_stream_text(json, separate ? ",\"unfinished\":true" : "\"unfinished\":true");
    ts_json_stream_text(json, "}");
}

/*
 * Parents come after their children: viewers sort by time, and the replay gives no two events of a stream one time.
 * The duration is a difference of integers: rounding two ends apart would let a child end after its parent. It is never
 * 0, which viewers draw as a mark.
 */
static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_chrome *chrome = context;
    struct ts_chrome_stream *stream = chrome->current;

    if (!stream || stream->depth == 0 || --stream->depth >= TS_CHROME_DEPTH)
        return;
    const struct frame *frame = &stream->frames[stream->depth];
    uint64_t duration = ts_longest_duration(frame->start, end_ns);
    size_t argument_bytes = stream->arguments.json.used - frame->arguments;
    stream->arguments.json.used = frame->arguments;
    if (!ts_longest_keeps(&chrome->longest, duration, how)) {
        chrome->dropped_short++;
        if (duration > chrome->longest_dropped_ns)
            chrome->longest_dropped_ns = duration;
        return;
    }
    if (__builtin_expect(chrome->parts != NULL, 0))
        prepare_part(chrome, stream);
    if (__builtin_expect(stream->flows.out_count || stream->flows.in, 0))
        ts_chrome_flows_bind(&chrome->flows, &stream->flows, stream->stream->process->pid, stream->tid, frame->start,
                             frame->start + duration);
    char *at = ts_json_stream_room(&chrome->json, EVENT_BYTES);

    at = put(at, frame->name, frame->name_bytes);
    at = put(at, stream->common, stream->common_bytes);
    at = ts_json_microseconds(at, frame->start);
    at = PUT(at, ",\"dur\":");
    at = ts_json_microseconds(at, duration);
    if (argument_bytes || (frame->flags & TS_ENTER_INHERITED) || how != TS_LEAVE_EXIT) {
        ts_json_stream_used(&chrome->json, at);
        const char *arguments = argument_bytes ? stream->arguments.json.text + frame->arguments : "";
        write_arguments(&chrome->json, arguments, argument_bytes, frame->flags, how);
        at = ts_json_stream_room(&chrome->json, 1);
    }
    *at++ = '}';
    ts_json_stream_used(&chrome->json, at);
    chrome->calls++;
    chrome->inherited += frame->flags & TS_ENTER_INHERITED;
}

/* An instant event of the thread. */
static void write_moment(void *context, const struct ts_moment *moment) {
    struct ts_chrome *chrome = context;
    struct ts_chrome_stream *stream = chrome->current;

    if (!stream)
        return;
    if (moment->function->id >= chrome->name_count || !chrome->names[moment->function->id].text)
        add_name(chrome, moment->function);
    const struct ts_chrome_name *name = &chrome->names[moment->function->id];
    if (chrome->parts)
        prepare_part(chrome, stream);
    size_t arguments = stream->arguments.json.used, phase = sizeof common_phase - 1;
    for (size_t i = 0; i < moment->attribute_count; i++)
        ts_chrome_arguments_add(&stream->arguments, &moment->attributes[i]);

    char *at = ts_json_stream_room(&chrome->json, EVENT_BYTES);
    at = put(at, name->text, name->bytes);
    at = PUT(at, "\"ph\":\"i\",\"s\":\"t\",");
    at = put(at, stream->common + phase, stream->common_bytes - phase);
    at = ts_json_microseconds(at, moment->ns);
    ts_json_stream_used(&chrome->json, at);
    write_arguments(&chrome->json, stream->arguments.json.text + arguments, stream->arguments.json.used - arguments, 0,
                    TS_LEAVE_EXIT);
    ts_json_stream_text(&chrome->json, "}");
    stream->arguments.json.used = arguments;
}

static void count_outer_unknown(void *context, uint64_t count) {
    struct ts_chrome *chrome = context;
    chrome->outer_unknown += count;
}

static void free_stream(struct ts_chrome *chrome, struct ts_chrome_stream *stream) {
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        chrome->streams = stream->next;
    if (chrome->current == stream)
        chrome->current = NULL;
    ts_chrome_arguments_free(&stream->arguments);
    free(stream->frames);
    free(stream);
}

static void finish_stream(void *context, struct ts_stream *stream) {
    if (stream->user)
        free_stream(context, stream->user);
    stream->user = NULL;
}

struct ts_sink ts_chrome_sink(struct ts_chrome *chrome) {
    return (struct ts_sink){.context = chrome,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_call,
                            .outer_unknown = count_outer_unknown,
                            .finish = finish_stream,
                            .attribute = add_attribute,
                            .moment = write_moment,
                            .failure = note_failure};
}

void ts_chrome_free_sink(struct ts_chrome *chrome) {
    while (chrome->streams)
        free_stream(chrome, chrome->streams);
    for (size_t i = 0; i < chrome->name_count; i++)
        free(chrome->names[i].text);
    free(chrome->names);
    ts_chrome_flows_free(&chrome->flows);
    chrome->names = NULL;
    chrome->name_count = chrome->name_capacity = 0;
}
