#include "render/unrecorded.h"

#include "render/executable.h"
#include "render/memory.h"
#include "render/process_index.h"
#include "render/session_private.h"

#include <stdlib.h>
#include <string.h>

/* A look at a file for each of more than these is more than a person reads. */
#define CHILDREN_MOST 10000u

/* What is found, added to the session at once. */
struct found {
    struct ts_session *session;
    struct ts_process_index processes;
    struct ts_stream **streams;
    size_t count;
    size_t capacity;
    size_t looked;
};

struct child {
    struct ts_process *parent; /* or what became the program */
    uint32_t pid;
    uint64_t clock;
    const char *path;
};

/* Whether a trace file of that process begins after it was executed. */
static bool is_recorded(const struct found *found, const struct child *child) {
    uint64_t executed_ns = ts_clock_fit_ns(&child->parent->trace->clock, child->clock);
    return ts_process_index_after(&found->processes, child->pid, ts_process_index_begins_ns(executed_ns), true);
}

static void look_at(struct found *found, const struct child *child) {
    struct ts_facts *facts = child->parent->trace->facts;
    const struct ts_metadata *directory =
        ts_facts_metadata(facts, ts_process_facts_of(child->parent), TS_METADATA_WORKING_DIRECTORY);
    if (found->looked > CHILDREN_MOST || is_recorded(found, child))
        return;
    if (found->looked++ == CHILDREN_MOST) {
        ts_session_warn(found->session,
                        "more than %u programs were executed: whether the others could be recorded is not looked up",
                        CHILDREN_MOST);
        return;
    }
    char *path = ts_executable_path(child->path, directory ? directory->value : NULL);
    const char *why = path ? ts_executable_obstacle(path) : NULL;
    if (!why) {
        free(path);
        return;
    }
    struct ts_unrecorded *made = ts_memory_new(1, sizeof(*made));
    const char *slash = strrchr(path, '/');
    *made = (struct ts_unrecorded){.why = why, .path = path};
    made->thread = (struct ts_thread_facts){.tid = child->pid,
                                            .start_clock = child->clock,
                                            .last_clock = child->clock,
                                            .ended = 1,
                                            .name = slash ? path + (slash + 1 - path) : path,
                                            .unrecorded = made};
    facts->unrecorded = ts_memory_grow(facts->unrecorded, &facts->unrecorded_capacity, facts->unrecorded_count + 1,
                                       sizeof(struct ts_unrecorded *));
    facts->unrecorded[facts->unrecorded_count++] = made;
    found->streams = ts_memory_grow(found->streams, &found->capacity, found->count + 1, sizeof(struct ts_stream *));
    found->streams[found->count++] = ts_session_stream_new(child->parent, &made->thread, 0);
}

void ts_unrecorded_streams(struct ts_session *session) {
    struct found found = {.session = session};
    ts_process_index_make(&found.processes, session);
    for (size_t i = 0; i < session->process_count; i++) {
        struct ts_process *process = session->processes[i];
        const struct ts_process_facts *facts = ts_process_facts_of(process);
        if (facts->end_reason == TS_END_EXEC && facts->exec_path)
            look_at(&found, &(struct child){process, facts->pid, facts->exec_clock, facts->exec_path});
    }
    for (size_t t = 0; t < session->trace_count; t++) {
        const struct ts_trace *trace = session->traces[t];
        for (size_t i = 0; i < trace->facts->spawn_count && found.looked <= CHILDREN_MOST; i++) {
            const struct ts_spawn_facts *spawn = &trace->facts->spawns[i];
            struct ts_process *parent = ts_process_index_numbered(&found.processes, trace, spawn->process);
            if (parent)
                look_at(&found, &(struct child){parent, spawn->pid, spawn->clock, spawn->path});
        }
    }
    ts_session_add_streams(session, found.streams, found.count);
    free(found.streams);
    ts_process_index_free(&found.processes);
}

void ts_unrecorded_replay(struct ts_session *session, struct ts_stream *stream, const struct ts_sink *sink) {
    const struct ts_unrecorded *program = ts_stream_thread(stream)->unrecorded;
    struct ts_object *object = ts_functions_object(session->functions, program->path, NULL, 0);
    struct ts_function *function = ts_functions_intern(session->functions, object, 0);
    if (!function->name)
        function->name = ts_memory_copy(program->thread.name, strlen(program->thread.name));
    sink->select(sink->context, stream);
    sink->enter(sink->context, function, stream->start_ns, 0);
    if (sink->attribute) {
        struct ts_attribute pid = {"pid", {.kind = TS_VALUE_UNSIGNED, .number = program->thread.tid}};
        struct ts_attribute why = {"not_recorded", {.kind = TS_VALUE_STRING, .string = program->why}};
        sink->attribute(sink->context, &pid);
        sink->attribute(sink->context, &why);
    }
    sink->leave(sink->context, stream->start_ns + 1, TS_LEAVE_UNFINISHED);
    sink->finish(sink->context, stream);
}
