/*
 * Flat JSON lines: an object for each call, with the same keys in every one, for tables (DuckDB, ClickHouse's
 * JSONEachRow) and jq. It is written when the call ends. All values of `attributes` are strings: a map of one type.
 */
#include "render/chrome_arguments.h"
#include "render/formats.h"
#include "render/json_stream.h"
#include "render/memory.h"
#include "render/replay.h"
#include "render/span_ids.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct frame {
    uint64_t start;
    uint64_t id;
    const struct ts_function *function;
    size_t arguments; /* where its text begins in those of the stream */
    unsigned flags;
    char error[64]; /* "": it has not failed */
};

struct jsonl_stream {
    struct jsonl_stream *next;
    struct jsonl_stream *previous;
    char *common; /* the members that are the same for every call of the stream */
    struct ts_span_ids ids;
    int64_t realtime_offset_ns;
    struct ts_chrome_arguments arguments;
    struct frame *frames;
    size_t depth;
    size_t capacity;
};

struct jsonl {
    struct ts_json_stream json;
    char **names; /* by ts_function.id: `"name":"f","scope":"app",` */
    size_t name_count;
    size_t name_capacity;
    struct jsonl_stream *current;
    struct jsonl_stream *streams;
    const struct ts_session *session;
};

struct common {
    const struct ts_session *session;
    const struct ts_stream *stream;
};

static char *text_of(void (*write)(struct ts_json_stream *json, const void *context), const void *context) {
    char *text = NULL;
    size_t count;
    struct ts_json_stream json;
    struct ts_error error;
    FILE *out = open_memstream(&text, &count);
    if (!out)
        abort(); /* out of memory */
    ts_json_stream_open(&json, out);
    write(&json, context);
    ts_json_stream_close(&json, "", &error);
    fclose(out);
    return text;
}

static void write_name(struct ts_json_stream *json, const void *context) {
    struct ts_function *function = (void *)context;
    ts_json_stream_text(json, "\"name\":");
    ts_json_stream_string(json, ts_function_name(function));
    ts_json_stream_text(json, ",\"scope\":");
    ts_json_stream_string(json, ts_function_scope(function));
    ts_json_stream_text(json, ",");
}

static void write_common(struct ts_json_stream *json, const void *context) {
    const struct common *common = context;
    const struct ts_stream *stream = common->stream;
    const struct ts_process *process = stream->process;
    uint8_t trace[TS_TRACE_ID_BYTES];
    char digits[2 * sizeof trace + 1];
    ts_json_stream_text(json, "\"process\":");
    ts_json_stream_string(json, process->name);
    ts_json_stream_text(json, ",\"thread\":");
    ts_json_stream_string(json, *stream->name ? stream->name : process->name);
    ts_json_stream_text(json, ",\"pid\":");
    ts_json_stream_unsigned(json, process->pid);
    ts_json_stream_text(json, ",\"tid\":");
    ts_json_stream_unsigned(json, stream->tid);
    ts_json_stream_text(json, ",\"maker_tid\":");
    ts_json_stream_unsigned(json, stream->maker_tid);
    ts_json_stream_text(json, ",\"track\":");
    ts_json_stream_unsigned(json, stream->track);
    ts_json_stream_text(json, ",\"rank\":");
    ts_json_stream_signed(json, process->mpi_rank);
    ts_json_stream_text(json, ",\"trace_id\":\"");
    ts_span_ids_trace(common->session, trace);
    ts_trace_id_write(digits, trace);
    ts_json_stream_text(json, digits);
    ts_json_stream_text(json, "\",");
}

static const char *name_of(struct jsonl *jsonl, struct ts_function *function) {
    size_t need = (size_t)function->id + 1;
    if (jsonl->name_count < need) {
        jsonl->names = ts_memory_grow(jsonl->names, &jsonl->name_capacity, need, sizeof *jsonl->names);
        memset(jsonl->names + jsonl->name_count, 0, (need - jsonl->name_count) * sizeof *jsonl->names);
        jsonl->name_count = need;
    }
    if (!jsonl->names[function->id])
        jsonl->names[function->id] = text_of(write_name, function);
    return jsonl->names[function->id];
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct jsonl *jsonl = context;
    if (!stream->user) {
        struct jsonl_stream *made = ts_memory_new(1, sizeof *made);
        made->common = text_of(write_common, &(struct common){jsonl->session, stream});
        made->ids = ts_span_ids_of(stream);
        made->realtime_offset_ns = stream->process->realtime_offset_ns;
        made->arguments.texts = true;
        made->next = jsonl->streams;
        if (made->next)
            made->next->previous = made;
        jsonl->streams = made;
        stream->user = made;
    }
    jsonl->current = stream->user;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct jsonl *jsonl = context;
    struct jsonl_stream *stream = jsonl->current;
    if (!stream)
        return;
    name_of(jsonl, function);
    stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
    stream->frames[stream->depth++] = (struct frame){.start = start_ns,
                                                     .id = ts_span_ids_next(&stream->ids, start_ns),
                                                     .function = function,
                                                     .arguments = stream->arguments.json.used,
                                                     .flags = flags};
    const char *label = ts_function_label(function);
    if (label)
        ts_chrome_arguments_add(&stream->arguments,
                                &(struct ts_attribute){"label", {.kind = TS_VALUE_STRING, .string = label}});
}

static void add_attribute(void *context, const struct ts_attribute *attribute) {
    struct jsonl *jsonl = context;
    if (jsonl->current && jsonl->current->depth)
        ts_chrome_arguments_add(&jsonl->current->arguments, attribute);
}

static void note_failure(void *context, const struct ts_failure *failure) {
    struct jsonl *jsonl = context;
    struct jsonl_stream *stream = jsonl->current;
    if (!stream || stream->depth == 0)
        return;
    struct frame *frame = &stream->frames[stream->depth - 1];
    if (failure->name)
        snprintf(frame->error, sizeof frame->error, "%s", failure->name);
    else
        snprintf(frame->error, sizeof frame->error, "%" PRId64, failure->code);
}

static void put_id(struct ts_json_stream *json, const char *key, uint64_t id) {
    char text[16];
    ts_json_stream_text(json, key);
    if (id)
        ts_json_stream_bytes(json, text, (size_t)(ts_span_id_write(text, id) - text));
    ts_json_stream_text(json, "\",");
}

static void put_number(struct ts_json_stream *json, const char *key, uint64_t number) {
    ts_json_stream_text(json, key);
    ts_json_stream_unsigned(json, number);
    ts_json_stream_text(json, ",");
}

/* One line. `kind`: a call, one that was open when its process was forked, or a moment. */
static void write_line(struct jsonl *jsonl, const struct frame *frame, uint64_t duration, const char *kind,
                       const char *end) {
    struct ts_json_stream *json = &jsonl->json;
    const struct jsonl_stream *stream = jsonl->current;
    size_t bytes = stream->arguments.json.used - frame->arguments;
    ts_json_stream_text(json, "{");
    ts_json_stream_text(json, jsonl->names[frame->function->id]);
    put_number(json, "\"start_ns\":", frame->start);
    put_number(json, "\"dur_ns\":", duration);
    put_number(json, "\"start_unix_ns\":", frame->start + (uint64_t)stream->realtime_offset_ns);
    put_number(json, "\"depth\":", stream->depth);
    ts_json_stream_text(json, "\"kind\":\"");
    ts_json_stream_text(json, kind);
    ts_json_stream_text(json, "\",\"end\":\"");
    ts_json_stream_text(json, end);
    ts_json_stream_text(json, *frame->error ? "\",\"status\":\"ERROR\",\"error\":" : "\",\"status\":\"OK\",\"error\":");
    ts_json_stream_string(json, frame->error);
    ts_json_stream_text(json, ",");
    put_id(json, "\"span_id\":\"", frame->id);
    put_id(json, "\"parent_id\":\"", stream->depth ? stream->frames[stream->depth - 1].id : 0);
    ts_json_stream_text(json, stream->common);
    ts_json_stream_text(json, "\"attributes\":{");
    if (bytes)
        ts_json_stream_bytes(json, stream->arguments.json.text + frame->arguments, bytes - 1); /* but the last comma */
    ts_json_stream_text(json, "}}\n");
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct jsonl *jsonl = context;
    struct jsonl_stream *stream = jsonl->current;
    if (!stream || stream->depth == 0)
        return;
    const struct frame *frame = &stream->frames[--stream->depth];
    write_line(jsonl, frame, end_ns > frame->start ? end_ns - frame->start : 0,
               frame->flags & TS_ENTER_INHERITED ? "inherited" : "call",
               how == TS_LEAVE_EXIT      ? "exit"
               : how == TS_LEAVE_UNWOUND ? "unwound"
                                         : "unfinished");
    stream->arguments.json.used = frame->arguments;
}

static void write_moment(void *context, const struct ts_moment *moment) {
    struct jsonl *jsonl = context;
    struct jsonl_stream *stream = jsonl->current;
    if (!stream)
        return;
    struct frame frame = {.start = moment->ns, .function = moment->function, .arguments = stream->arguments.json.used};
    name_of(jsonl, moment->function);
    frame.id = ts_span_ids_moment(&stream->ids, moment->ns);
    if (moment->is_error)
        snprintf(frame.error, sizeof frame.error, "%s", ts_function_name(moment->function));
    for (size_t i = 0; i < moment->attribute_count; i++)
        ts_chrome_arguments_add(&stream->arguments, &moment->attributes[i]);
    write_line(jsonl, &frame, 0, "moment", "");
    stream->arguments.json.used = frame.arguments;
}

static void free_stream(struct jsonl *jsonl, struct jsonl_stream *stream) {
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        jsonl->streams = stream->next;
    if (jsonl->current == stream)
        jsonl->current = NULL;
    ts_chrome_arguments_free(&stream->arguments);
    free(stream->frames);
    free(stream->common);
    free(stream);
}

static void finish_stream(void *context, struct ts_stream *stream) {
    if (stream->user)
        free_stream(context, stream->user);
    stream->user = NULL;
}

int ts_format_jsonl(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                    struct ts_error *error) {
    struct jsonl jsonl = {.session = session};
    const struct ts_sink sink = {.context = &jsonl,
                                 .select = select_stream,
                                 .enter = enter_call,
                                 .leave = leave_call,
                                 .finish = finish_stream,
                                 .attribute = add_attribute,
                                 .moment = write_moment,
                                 .failure = note_failure};
    (void)options;
    ts_json_stream_open(&jsonl.json, out);
    ts_replay(session, &sink, NULL);
    while (jsonl.streams)
        free_stream(&jsonl, jsonl.streams);
    for (size_t i = 0; i < jsonl.name_count; i++)
        free(jsonl.names[i]);
    free(jsonl.names);
    return ts_json_stream_close(&jsonl.json, "the JSON lines", error);
}
