#include "render/session_processes.h"

#include "render/memory.h"
#include "render/session_private.h"
#include "render/unrecorded.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Every process of a file has these texts, a forked child those of its ancestor, and outputs write them for each: a
 * command line of megabytes with thousands of children would be gigabytes.
 */
#define COMMAND_BYTES_MOST ((size_t)4096)
#define NAME_BYTES_MOST ((size_t)255) /* no file's name is longer */

/* A copy; of more than `most` bytes those before, to the end of a character, and `…`. */
static char *copy_cut(const char *text, size_t bytes, size_t most) {
    if (bytes <= most)
        return ts_memory_copy(text, bytes);
    while (most && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    char *copy = ts_memory_new(most + sizeof "…", 1);
    memcpy(copy, text, most);
    memcpy(copy + most, "…", sizeof "…");
    return copy;
}

/* Arguments with spaces between them. */
static char *command_text(const struct ts_metadata *metadata) {
    if (!metadata)
        return ts_memory_copy("", 0);
    size_t bytes = metadata->value_bytes;
    while (bytes && metadata->value[bytes - 1] == '\0')
        bytes--;
    char *text = copy_cut(metadata->value, bytes, COMMAND_BYTES_MOST);
    for (size_t i = 0; i < bytes && i < COMMAND_BYTES_MOST; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    return text;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The whole of it, somewhere in the facts; NULL: not known. */
static const char *long_name(const struct ts_facts *facts, const struct ts_process_facts *process) {
    const struct ts_metadata *executable = ts_facts_metadata(facts, process, TS_METADATA_EXECUTABLE);
    if (executable && *file_name(executable->value))
        return file_name(executable->value);
    const struct ts_metadata *command = ts_facts_metadata(facts, process, TS_METADATA_COMMAND_LINE);
    if (command && *file_name(command->value))
        return file_name(command->value);
    for (size_t i = 0; i < ts_module_map_count(process->modules); i++) {
        const struct ts_module *module = ts_module_map_at(process->modules, i);
        if (module->flags & TS_LOAD_EXECUTABLE && *file_name(module->object->path))
            return file_name(module->object->path);
    }
    return NULL;
}

static char *process_name(const struct ts_facts *facts, const struct ts_process_facts *process) {
    const char *name = long_name(facts, process);
    return name ? copy_cut(name, strlen(name), NAME_BYTES_MOST) : ts_memory_text("process %u", process->pid);
}

/* A decimal number, -1 when there is none. */
static int metadata_number(const struct ts_metadata *metadata) {
    if (!metadata || metadata->value[0] < '0' || metadata->value[0] > '9')
        return -1;
    long number = strtol(metadata->value, NULL, 10);
    return number > INT_MAX ? -1 : (int)number;
}

static struct ts_process *make_process(struct ts_trace *trace, const struct ts_process_facts *facts) {
    struct ts_session_process *made = ts_memory_new(1, sizeof(*made));
    made->facts = facts;
    made->process = (struct ts_process){
        .trace = trace,
        .number = facts->number,
        .pid = facts->pid,
        .parent_pid = facts->parent_pid,
        .name = process_name(trace->facts, facts),
        .command = command_text(ts_facts_metadata(trace->facts, facts, TS_METADATA_COMMAND_LINE)),
        .start_ns = ts_clock_fit_ns(&trace->clock, facts->start_clock),
        .end_ns = ts_clock_fit_ns(&trace->clock, facts->last_clock),
        .end_reason = facts->end_reason,
        .end_status = facts->end_status,
        .realtime_offset_ns = facts->realtime_offset_ns,
        .mpi_rank = metadata_number(ts_facts_metadata(trace->facts, facts, TS_METADATA_RANK)),
        .mpi_size = metadata_number(ts_facts_metadata(trace->facts, facts, TS_METADATA_SIZE)),
    };
    if (made->process.end_ns < made->process.start_ns)
        made->process.end_ns = made->process.start_ns;
    return &made->process;
}

void ts_session_process_free(struct ts_process *process) {
    free((char *)process->name);
    free((char *)process->command);
    free(process);
}

static int compare_number(const void *number, const void *thread) {
    uint32_t wanted = *(const uint32_t *)number, found = ((const struct ts_thread_facts *)thread)->thread;
    return (wanted > found) - (wanted < found);
}

static uint32_t maker_tid(const struct ts_process *process, uint32_t maker) {
    const struct ts_process_facts *facts = ts_process_facts_of(process);
    const struct ts_thread_facts *found = NULL;
    if (maker && facts->thread_count)
        found = bsearch(&maker, process->trace->facts->threads + facts->first_thread, facts->thread_count,
                        sizeof(*found), compare_number);
    return found ? found->tid : 0;
}

struct ts_stream *ts_session_stream_new(struct ts_process *process, const struct ts_thread_facts *thread,
                                        uint32_t track) {
    const struct ts_clock_fit *clock = &process->trace->clock;
    struct ts_session_stream *made = ts_memory_new(1, sizeof(*made));
    made->thread = thread;
    made->thread_start_ns = ts_clock_fit_ns(clock, thread->start_clock);
    made->stream = (struct ts_stream){
        .process = process,
        .thread = thread->thread,
        .tid = thread->tid,
        .maker_tid = maker_tid(process, thread->maker),
        .track = track,
        .name = thread->name ? thread->name : "",
        .start_ns = made->thread_start_ns,
        .end_ns = ts_clock_fit_ns(clock, thread->last_clock),
    };
    if (ts_process_facts_of(process)->ended && !thread->ended && process->end_ns > made->stream.end_ns)
        made->stream.end_ns = process->end_ns;
    if (made->stream.end_ns < made->stream.start_ns)
        made->stream.end_ns = made->stream.start_ns;
    made->told_end_ns = made->stream.end_ns;
    return &made->stream;
}

static int order(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_processes(const void *left, const void *right) {
    const struct ts_process *a = *(struct ts_process *const *)left;
    const struct ts_process *b = *(struct ts_process *const *)right;
    if (a->start_ns != b->start_ns)
        return order(a->start_ns, b->start_ns);
    if (a->trace != b->trace)
        return strcmp(a->trace->path, b->trace->path);
    return order(a->number, b->number);
}

static int compare_streams(const void *left, const void *right) {
    const struct ts_session_stream *a = *(struct ts_session_stream *const *)left;
    const struct ts_session_stream *b = *(struct ts_session_stream *const *)right;
    size_t order_a = ((const struct ts_session_process *)a->stream.process)->order;
    size_t order_b = ((const struct ts_session_process *)b->stream.process)->order;
    int result = order(order_a, order_b);
    if (!result)
        result = order(a->thread_start_ns, b->thread_start_ns);
    if (!result)
        result = order(a->stream.thread, b->stream.thread);
    if (!result)
        result = order(a->stream.track != 0, b->stream.track != 0);
    if (!result)
        result = order(a->stream.start_ns, b->stream.start_ns);
    return result ? result : order(a->stream.track, b->stream.track);
}

void ts_session_add_streams(struct ts_session *session, struct ts_stream **streams, size_t count) {
    if (!count)
        return;
    size_t capacity = 0;
    size_t all = session->stream_count + count;
    struct ts_stream **grown = ts_memory_grow(NULL, &capacity, all, sizeof(struct ts_stream *));
    if (session->stream_count)
        memcpy(grown, session->streams, session->stream_count * sizeof(struct ts_stream *));
    memcpy(grown + session->stream_count, streams, count * sizeof(struct ts_stream *));
    qsort(grown, all, sizeof(struct ts_stream *), compare_streams);
    free(session->streams);
    session->streams = grown;
    session->stream_count = all;
}

struct stream_list {
    struct ts_stream **streams;
    size_t count;
    size_t capacity;
};

static void add_stream(struct stream_list *list, struct ts_stream *stream) {
    list->streams = ts_memory_grow(list->streams, &list->capacity, list->count + 1, sizeof(struct ts_stream *));
    list->streams[list->count++] = stream;
}

static int compare_numbers(const void *left, const void *right) {
    return order(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* Its own stack, and every other one on which a window of the thread begins; a replay may find more. */
static void add_thread(struct stream_list *list, struct ts_process *process, const struct ts_thread_facts *thread) {
    const struct ts_window *windows = &process->trace->windows[thread->first_window];
    add_stream(list, ts_session_stream_new(process, thread, 0));
    uint32_t *tracks = ts_memory_new(thread->window_count, sizeof(*tracks));
    size_t count = 0;
    for (size_t i = 0; i < thread->window_count; i++)
        if (windows[i].track)
            tracks[count++] = windows[i].track;
    if (count)
        qsort(tracks, count, sizeof(*tracks), compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || tracks[i] != tracks[i - 1])
            add_stream(list, ts_session_stream_new(process, thread, tracks[i]));
    free(tracks);
}

void ts_session_make_processes(struct ts_session *session) {
    size_t capacity = 0;
    for (size_t i = 0; i < session->trace_count; i++) {
        struct ts_trace *trace = session->traces[i];
        for (size_t p = 0; p < trace->facts->process_count; p++) {
            session->processes =
                ts_memory_grow(session->processes, &capacity, session->process_count + 1, sizeof(struct ts_process *));
            session->processes[session->process_count++] = make_process(trace, &trace->facts->processes[p]);
        }
    }
    if (session->process_count)
        qsort(session->processes, session->process_count, sizeof(struct ts_process *), compare_processes);

    struct stream_list list = {0};
    for (size_t i = 0; i < session->process_count; i++) {
        struct ts_session_process *process = (struct ts_session_process *)session->processes[i];
        process->order = i;
        const struct ts_facts *facts = process->process.trace->facts;
        for (size_t t = 0; t < process->facts->thread_count; t++)
            add_thread(&list, &process->process, &facts->threads[process->facts->first_thread + t]);
    }
    ts_session_add_streams(session, list.streams, list.count);
    free(list.streams);
    ts_unrecorded_streams(session);
}
