#include "tests/unit/render/sink_script.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

enum event_kind { EVENT_SELECT, EVENT_ENTER, EVENT_LEAVE, EVENT_OUTER_UNKNOWN };

struct event {
    enum event_kind kind;
    struct ts_stream *stream;
    struct ts_function *function;
    uint64_t number; /* time, or the count */
    unsigned flags;  /* of an enter, or how of a leave */
};

struct sink_script {
    struct ts_session session;
    size_t process_capacity;
    size_t stream_capacity;
    struct event *events;
    size_t event_count;
    size_t event_capacity;
    size_t played;
    struct ts_function **functions;
    size_t function_count;
    size_t function_capacity;
};

struct sink_script *sink_script_new(void) {
    return ts_memory_new(1, sizeof(struct sink_script));
}

void sink_script_free(struct sink_script *script) {
    for (size_t i = 0; i < script->session.process_count; i++)
        free(script->session.processes[i]);
    for (size_t i = 0; i < script->session.stream_count; i++)
        free(script->session.streams[i]);
    for (size_t i = 0; i < script->function_count; i++) {
        free(script->functions[i]->object);
        free(script->functions[i]);
    }
    free(script->session.processes);
    free(script->session.streams);
    free(script->functions);
    free(script->events);
    free(script);
}

struct ts_session *sink_script_session(struct sink_script *script) {
    return &script->session;
}

struct ts_process *sink_script_process(struct sink_script *script, uint32_t pid, const char *name, uint64_t start_ns,
                                       uint64_t end_ns) {
    struct ts_session *session = &script->session;
    struct ts_process *process = ts_memory_new(1, sizeof *process);

    *process = (struct ts_process){.number = (uint32_t)session->process_count + 1,
                                   .pid = pid,
                                   .name = name,
                                   .command = name,
                                   .start_ns = start_ns,
                                   .end_ns = end_ns,
                                   .mpi_rank = -1,
                                   .mpi_size = -1};
    session->processes = ts_memory_grow(session->processes, &script->process_capacity, session->process_count + 1,
                                        sizeof(struct ts_process *));
    session->processes[session->process_count++] = process;
    return process;
}

static struct event *add_event(struct sink_script *script, enum event_kind kind) {
    script->events =
        ts_memory_grow(script->events, &script->event_capacity, script->event_count + 1, sizeof *script->events);
    struct event *event = &script->events[script->event_count++];
    *event = (struct event){.kind = kind};
    return event;
}

struct ts_stream *sink_script_stream(struct sink_script *script, struct ts_process *process, uint32_t tid,
                                     const char *name) {
    struct ts_session *session = &script->session;
    struct ts_stream *stream = ts_memory_new(1, sizeof *stream);

    *stream = (struct ts_stream){.process = process,
                                 .thread = (uint32_t)session->stream_count + 1,
                                 .tid = tid,
                                 .name = name,
                                 .start_ns = process->start_ns,
                                 .end_ns = process->end_ns};
    session->streams = ts_memory_grow(session->streams, &script->stream_capacity, session->stream_count + 1,
                                      sizeof(struct ts_stream *));
    session->streams[session->stream_count++] = stream;
    sink_script_select(script, stream);
    return stream;
}

void sink_script_select(struct sink_script *script, struct ts_stream *stream) {
    add_event(script, EVENT_SELECT)->stream = stream;
}

struct ts_function *sink_script_function(struct sink_script *script, const char *name, const char *scope) {
    struct ts_function *function = ts_memory_new(1, sizeof *function);

    function->name = name;
    function->id = (uint32_t)script->function_count;
    if (scope) {
        function->object = ts_memory_new(1, sizeof *function->object);
        function->object->scope = scope;
        function->object->symbols_tried = 1; /* there is no file */
    }
    script->functions = ts_memory_grow(script->functions, &script->function_capacity, script->function_count + 1,
                                       sizeof(struct ts_function *));
    script->functions[script->function_count++] = function;
    return function;
}

static int same_function(const struct ts_function *function, const char *name, const char *scope) {
    if (strcmp(function->name, name) != 0 || !scope != !function->object)
        return 0;
    return !scope || strcmp(function->object->scope, scope) == 0;
}

void sink_script_enter_as(struct sink_script *script, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct event *event = add_event(script, EVENT_ENTER);
    event->function = function;
    event->number = start_ns;
    event->flags = flags;
}

void sink_script_enter(struct sink_script *script, const char *name, const char *scope, uint64_t start_ns) {
    size_t i = 0;

    while (i < script->function_count && !same_function(script->functions[i], name, scope))
        i++;
    struct ts_function *function =
        i < script->function_count ? script->functions[i] : sink_script_function(script, name, scope);
    sink_script_enter_as(script, function, start_ns, 0);
}

void sink_script_leave_as(struct sink_script *script, uint64_t end_ns, enum ts_leave_how how) {
    struct event *event = add_event(script, EVENT_LEAVE);
    event->number = end_ns;
    event->flags = how;
}

void sink_script_leave(struct sink_script *script, uint64_t end_ns) {
    sink_script_leave_as(script, end_ns, TS_LEAVE_EXIT);
}

void sink_script_call(struct sink_script *script, const char *name, const char *scope, uint64_t start_ns,
                      uint64_t end_ns) {
    sink_script_enter(script, name, scope, start_ns);
    sink_script_leave(script, end_ns);
}

void sink_script_outer_unknown(struct sink_script *script, uint64_t count) {
    add_event(script, EVENT_OUTER_UNKNOWN)->number = count;
}

static void play(struct sink_script *script, const struct ts_sink *sink, size_t from) {
    for (size_t i = from; i < script->event_count; i++) {
        const struct event *event = &script->events[i];
        switch (event->kind) {
        case EVENT_SELECT:
            sink->select(sink->context, event->stream);
            break;
        case EVENT_ENTER:
            sink->enter(sink->context, event->function, event->number, event->flags);
            break;
        case EVENT_LEAVE:
            sink->leave(sink->context, event->number, (enum ts_leave_how)event->flags);
            break;
        case EVENT_OUTER_UNKNOWN:
            sink->outer_unknown(sink->context, event->number);
            break;
        }
    }
}

void sink_script_play(struct sink_script *script, const struct ts_sink *sink) {
    for (size_t i = 0; i < script->session.stream_count; i++)
        script->session.streams[i]->user = NULL;
    play(script, sink, 0);
    for (size_t i = 0; i < script->session.stream_count; i++)
        sink->finish(sink->context, script->session.streams[i]);
}

void sink_script_play_new(struct sink_script *script, const struct ts_sink *sink) {
    play(script, sink, script->played);
    script->played = script->event_count;
}
