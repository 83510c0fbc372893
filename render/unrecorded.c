#include "render/unrecorded.h"

#include "render/executable.h"
#include "render/memory.h"
#include "render/session_private.h"

#include <stdlib.h>
#include <string.h>

/* Clocks of two files are fitted on their own. */
#define CLOCKS_APART_NS UINT64_C(10000000)

struct child {
    struct ts_process *parent; /* or what became the program */
    uint32_t pid;
    uint64_t clock;
    const char *path;
};

/* Whether a trace file of that process begins after it was executed. */
static bool is_recorded(const struct ts_session *session, const struct child *child) {
    uint64_t executed_ns = ts_clock_fit_ns(&child->parent->trace->clock, child->clock);
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        if (process->pid == child->pid && process->number == 1 && process->start_ns + CLOCKS_APART_NS > executed_ns)
            return true;
    }
    return false;
}

static void add(struct ts_session *session, const struct child *child) {
    struct ts_facts *facts = child->parent->trace->facts;
    const struct ts_metadata *directory =
        ts_facts_metadata(facts, ts_process_facts_of(child->parent), TS_METADATA_WORKING_DIRECTORY);
    if (is_recorded(session, child))
        return;
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
    facts->unrecorded = realloc(facts->unrecorded, (facts->unrecorded_count + 1) * sizeof(*facts->unrecorded));
    facts->unrecorded[facts->unrecorded_count++] = made;
    struct ts_stream *stream = ts_session_stream_new(child->parent, &made->thread, 0);
    ts_session_add_streams(session, &stream, 1);
}

static struct ts_process *process_of(const struct ts_session *session, const struct ts_trace *trace, uint32_t number) {
    for (size_t i = 0; i < session->process_count; i++)
        if (session->processes[i]->trace == trace && session->processes[i]->number == number)
            return session->processes[i];
    return NULL;
}

void ts_unrecorded_streams(struct ts_session *session) {
    for (size_t i = 0; i < session->process_count; i++) {
        struct ts_process *process = session->processes[i];
        const struct ts_process_facts *facts = ts_process_facts_of(process);
        if (facts->end_reason == TS_END_EXEC && facts->exec_path)
            add(session, &(struct child){process, facts->pid, facts->exec_clock, facts->exec_path});
    }
    for (size_t t = 0; t < session->trace_count; t++) {
        const struct ts_trace *trace = session->traces[t];
        for (size_t i = 0; i < trace->facts->spawn_count; i++) {
            const struct ts_spawn_facts *spawn = &trace->facts->spawns[i];
            struct ts_process *parent = process_of(session, trace, spawn->process);
            if (parent)
                add(session, &(struct child){parent, spawn->pid, spawn->clock, spawn->path});
        }
    }
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
