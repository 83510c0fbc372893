#include "render/speedscope_sink.h"

#include "render/call_graph.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

struct ts_speedscope_stream {
    struct ts_speedscope_stream *next;
    struct ts_speedscope_stream *previous;
    const struct ts_stream *stream;
    uint32_t *frames; /* rows of the open calls */
    size_t depth;
    size_t capacity;
    uint64_t last_ns;
    int any_event;
    int waits;      /* it is finished, and its profile is to be written */
    char *buffered; /* what goes to the spool next */
    size_t buffered_bytes;
    struct ts_spool_text text;
};

#define EVENT_BYTES (sizeof ",\n{\"type\":\"O\",\"frame\":,\"at\":}" + 2 * TS_JSON_UNSIGNED_BYTES)
#define BUFFER_BYTES 4096

static char *put(char *to, const char *text, size_t bytes) {
    memcpy(to, text, bytes);
    return to + bytes;
}

void ts_speedscope_begin_profile(struct ts_speedscope *speedscope, const char *type, const struct ts_stream *stream) {
    struct ts_json_stream *json = &speedscope->json;
    const char *process = stream->process->name, *thread = *stream->name ? stream->name : process;
    char *name = stream->track ? ts_memory_text("%s %u, %s %u, track %u", process, (unsigned)stream->process->pid,
                                                thread, (unsigned)stream->tid, (unsigned)stream->track)
                               : ts_memory_text("%s %u, %s %u", process, (unsigned)stream->process->pid, thread,
                                                (unsigned)stream->tid);
    ts_json_stream_text(json, speedscope->any_profile ? ",\n{\"type\":\"" : "\n{\"type\":\"");
    speedscope->any_profile = 1;
    ts_json_stream_text(json, type);
    ts_json_stream_text(json, "\",\"name\":");
    ts_json_stream_string(json, name);
    ts_json_stream_text(json, ",\"unit\":\"nanoseconds\",");
    free(name);
}

void ts_speedscope_open(struct ts_speedscope *speedscope, struct ts_session *session, FILE *out) {
    *speedscope = (struct ts_speedscope){.session = session, .start_ns = UINT64_MAX};
    for (size_t i = 0; i < session->process_count; i++)
        if (session->processes[i]->start_ns < speedscope->start_ns)
            speedscope->start_ns = session->processes[i]->start_ns;
    ts_json_stream_open(&speedscope->json, out);
    ts_json_stream_text(&speedscope->json, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                                           "\"exporter\":\"traceshim@" TRACESHIM_VERSION "\",\"activeProfileIndex\":0,"
                                           "\"profiles\":[");
}

static void flush(struct ts_speedscope *speedscope, struct ts_speedscope_stream *stream) {
    ts_spool_add(&speedscope->spool, &stream->text, stream->buffered, stream->buffered_bytes);
    stream->buffered_bytes = 0;
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_speedscope *speedscope = context;
    struct ts_speedscope_stream *left = speedscope->current;
    if (left && left != speedscope->direct && left->buffered) {
        flush(speedscope, left);
        free(left->buffered);
        left->buffered = NULL;
    }
    if (!stream->user) {
        struct ts_speedscope_stream *made = ts_memory_new(1, sizeof *made);
        made->stream = stream;
        made->next = speedscope->streams;
        if (made->next)
            made->next->previous = made;
        speedscope->streams = made;
        stream->user = made;
        if (!speedscope->direct) {
            speedscope->direct = made;
            ts_speedscope_begin_profile(speedscope, "evented", stream);
            ts_json_stream_text(&speedscope->json, "\"events\":[");
        }
    }
    speedscope->current = stream->user;
}

static char *put_event(char *to, struct ts_speedscope_stream *stream, char type, uint32_t row, uint64_t at) {
    const char *begin = stream->any_event ? ",\n{\"type\":\"" : "\n{\"type\":\"";
    to = put(to, begin, strlen(begin));
    *to++ = type;
    to = put(to, "\",\"frame\":", strlen("\",\"frame\":"));
    to = ts_json_unsigned(to, row);
    to = put(to, ",\"at\":", strlen(",\"at\":"));
    to = ts_json_unsigned(to, at);
    *to++ = '}';
    stream->any_event = 1;
    return to;
}

static void write_event(struct ts_speedscope *speedscope, char type, uint32_t row, uint64_t ns) {
    struct ts_speedscope_stream *stream = speedscope->current;
    uint64_t at = ns > speedscope->start_ns ? ns - speedscope->start_ns : 0;
    stream->last_ns = at;
    if (stream == speedscope->direct) {
        char *to = ts_json_stream_room(&speedscope->json, EVENT_BYTES);
        ts_json_stream_used(&speedscope->json, put_event(to, stream, type, row, at));
        return;
    }
    if (!stream->buffered)
        stream->buffered = ts_memory_new(BUFFER_BYTES, 1);
    if (stream->buffered_bytes + EVENT_BYTES > BUFFER_BYTES)
        flush(speedscope, stream);
    char *end = put_event(stream->buffered + stream->buffered_bytes, stream, type, row, at);
    stream->buffered_bytes = (size_t)(end - stream->buffered);
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_speedscope *speedscope = context;
    struct ts_speedscope_stream *stream = speedscope->current;
    (void)flags;
    if (!stream)
        return;
    if (stream->depth++ >= TS_SPEEDSCOPE_DEPTH) {
        speedscope->dropped_deep_calls++;
        return;
    }
    uint32_t row = ts_function_rows_of(&speedscope->rows, function);
    stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth, sizeof *stream->frames);
    stream->frames[stream->depth - 1] = row;
    write_event(speedscope, 'O', row, start_ns);
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_speedscope *speedscope = context;
    struct ts_speedscope_stream *stream = speedscope->current;
    (void)how;
    if (!stream || stream->depth == 0 || --stream->depth >= TS_SPEEDSCOPE_DEPTH)
        return;
    write_event(speedscope, 'C', stream->frames[stream->depth], end_ns);
}

static void end_profile(struct ts_speedscope *speedscope, const struct ts_speedscope_stream *stream) {
    ts_json_stream_text(&speedscope->json, "],\"startValue\":0,\"endValue\":");
    ts_json_stream_unsigned(&speedscope->json, stream->last_ns);
    ts_json_stream_text(&speedscope->json, "}");
}

static void take_text(void *context, const char *bytes, size_t count) {
    struct ts_speedscope *speedscope = context;
    ts_json_stream_bytes(&speedscope->json, bytes, count);
}

static void free_stream(struct ts_speedscope *speedscope, struct ts_speedscope_stream *stream) {
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        speedscope->streams = stream->next;
    if (speedscope->current == stream)
        speedscope->current = NULL;
    free(stream->frames);
    free(stream->buffered);
    free(stream);
}

/* From the spool, when no other profile is being written. What the next thread spools begins anew. */
static void write_spooled(struct ts_speedscope *speedscope, struct ts_speedscope_stream *stream) {
    flush(speedscope, stream);
    ts_speedscope_begin_profile(speedscope, "evented", stream->stream);
    ts_json_stream_text(&speedscope->json, "\"events\":[");
    ts_spool_read(&speedscope->spool, &stream->text, take_text, speedscope);
    end_profile(speedscope, stream);
    free_stream(speedscope, stream);
    if (!speedscope->streams)
        ts_spool_free(&speedscope->spool);
}

/* Those that had to wait for the one that was being written. */
static void write_waiting(struct ts_speedscope *speedscope) {
    for (struct ts_speedscope_stream *stream = speedscope->streams, *next; stream; stream = next) {
        next = stream->next;
        if (stream->waits)
            write_spooled(speedscope, stream);
    }
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_speedscope *speedscope = context;
    struct ts_speedscope_stream *finished = stream->user;
    stream->user = NULL;
    if (!finished)
        return;
    if (finished == speedscope->direct) {
        end_profile(speedscope, finished);
        speedscope->direct = NULL;
        free_stream(speedscope, finished);
        write_waiting(speedscope);
    } else if (speedscope->direct) {
        finished->waits = 1;
    } else {
        write_spooled(speedscope, finished);
    }
}

struct ts_sink ts_speedscope_sink(struct ts_speedscope *speedscope) {
    return (struct ts_sink){.context = speedscope,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_call,
                            .finish = finish_stream};
}

/* Where debug information tells no source, the module's name is the file. */
static void write_frames(struct ts_speedscope *speedscope) {
    struct ts_json_stream *json = &speedscope->json;
    struct ts_function **sources = ts_call_graph_sources(&speedscope->rows, speedscope->session->functions);
    for (size_t i = 0; i < speedscope->rows.count; i++) {
        const struct ts_function_row *row = &speedscope->rows.rows[i];
        const struct ts_function *source = sources[i];
        ts_json_stream_text(json, i ? ",\n{\"name\":" : "\n{\"name\":");
        ts_json_stream_string(json, *row->name ? row->name : "?");
        ts_json_stream_text(json, ",\"file\":");
        ts_json_stream_string(json, source && source->file ? source->file : row->scope);
        if (source && source->line) {
            ts_json_stream_text(json, ",\"line\":");
            ts_json_stream_unsigned(json, source->line);
        }
        ts_json_stream_text(json, "}");
    }
    free(sources);
}

int ts_speedscope_close(struct ts_speedscope *speedscope, struct ts_error *error) {
    struct ts_json_stream *json = &speedscope->json;
    const struct ts_session *session = speedscope->session;
    while (speedscope->streams)
        free_stream(speedscope, speedscope->streams);
    ts_json_stream_text(json, "\n],\n\"shared\":{\"frames\":[");
    write_frames(speedscope);
    ts_json_stream_text(json, "\n]},\n\"name\":");
    const char *command = session->process_count ? session->processes[0]->command : "(no spans)";
    char *name = speedscope->dropped_deep_calls
                     ? ts_memory_text("%s (%llu calls deeper than %d are left out)", command,
                                      (unsigned long long)speedscope->dropped_deep_calls, TS_SPEEDSCOPE_DEPTH)
                     : ts_memory_text("%s", command);
    ts_json_stream_string(json, name);
    ts_json_stream_text(json, "}\n");
    free(name);
    if (speedscope->spool.failed && !json->failed)
        json->failed = speedscope->spool.failed;
    ts_spool_free(&speedscope->spool);
    ts_function_rows_free(&speedscope->rows);
    return ts_json_stream_close(json, "the speedscope profile", error);
}
