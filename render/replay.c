#include "render/replay.h"

#include "render/memory.h"
#include "render/progress.h"
#include "render/session_private.h"
#include "render/thread_replay.h"
#include "render/unrecorded.h"

#include <stdlib.h>

static void ignore_stream(void *context, struct ts_stream *stream) {
    (void)context;
    (void)stream;
}

static void ignore_enter(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    (void)context;
    (void)function;
    (void)start_ns;
    (void)flags;
}

static void ignore_leave(void *context, uint64_t end_ns, enum ts_leave_how how) {
    (void)context;
    (void)end_ns;
    (void)how;
}

static void ignore_outer(void *context, uint64_t count) {
    (void)context;
    (void)count;
}

static void ignore_failure(void *context, const struct ts_failure *failure) {
    (void)context;
    (void)failure;
}

/* Members that are not wanted cost a call of nothing instead of a test in the hot loop. */
static struct ts_sink complete(const struct ts_sink *sink) {
    struct ts_sink all = *sink;
    if (!all.select)
        all.select = ignore_stream;
    if (!all.enter)
        all.enter = ignore_enter;
    if (!all.leave)
        all.leave = ignore_leave;
    if (!all.outer_unknown)
        all.outer_unknown = ignore_outer;
    if (!all.finish)
        all.finish = ignore_stream;
    if (!all.failure)
        all.failure = ignore_failure;
    return all;
}

/* How many streams from `first` on belong to the same thread. */
static size_t count_of_thread(const struct ts_session *session, size_t first) {
    size_t count = 1;
    while (first + count < session->stream_count &&
           ts_stream_thread(session->streams[first + count]) == ts_stream_thread(session->streams[first]))
        count++;
    return count;
}

static uint64_t bytes_of_windows(const struct ts_session *session) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < session->trace_count; i++)
        for (size_t w = 0; w < session->traces[i]->window_count; w++)
            bytes += session->traces[i]->windows[w].bytes;
    return bytes;
}

void ts_replay(struct ts_session *session, const struct ts_sink *sink, const volatile int *stop) {
    static const volatile int never = 0;
    const struct ts_span_filter *filter = session->filter;
    struct ts_sink all = complete(sink);
    struct ts_filtered *filtered = filter ? ts_filtered_new(filter, session, &all) : NULL;
    if (filtered)
        all = ts_filtered_sink(filtered);
    struct ts_replay replay = {
        .session = session,
        .totals = &session->totals,
        .sink = all,
        .time = filter ? ts_span_filter_time(filter, session) : (struct ts_span_time){0, UINT64_MAX},
        .stop = stop ? stop : &never,
        .cache = ts_memory_new(1, sizeof(struct ts_function_cache)),
        .callers = ts_callers_new(session->sites),
    };
    replay.cache->functions = session->functions;
    replay.values = (struct ts_hook_values){.tell = all.attribute,
                                            .context = all.context,
                                            .descriptors = &replay.descriptors,
                                            .text = ts_memory_new(TS_HOOK_VALUES_TEXT_BYTES, 1)};
    ts_session_reset_totals(session);
    for (size_t i = 0; i < session->stream_count; i++) {
        struct ts_session_stream *stream = (struct ts_session_stream *)session->streams[i];
        stream->stream.user = stream->stream.filter = NULL;
        stream->stream.end_ns = stream->told_end_ns; /* every replay begins alike */
    }

    ts_progress_begin(session->progress, bytes_of_windows(session));
    struct ts_trace *open = NULL;
    struct ts_trace *refused = NULL;
    for (size_t i = 0, count; i < session->stream_count && !*replay.stop; i += count) {
        struct ts_trace *trace = session->streams[i]->process->trace;
        struct ts_error error;
        count = count_of_thread(session, i);
        if (trace == refused || (filter && !ts_span_filter_wants(filter, session->streams[i])))
            continue;
        if (open && open != trace)
            ts_trace_release(open);
        open = trace;
        if (ts_trace_acquire(trace, &error) < 0) {
            ts_session_warn(session, "%s", error.text);
            session->totals.damaged_windows++;
            refused = trace;
            continue;
        }
        if (ts_stream_thread(session->streams[i])->unrecorded)
            ts_unrecorded_replay(session, session->streams[i], &replay.sink);
        else
            ts_thread_replay(&replay, &session->streams[i], count);
    }
    if (open)
        ts_trace_release(open);
    ts_session_add_streams(session, replay.found, replay.found_count);
    ts_progress_end(session->progress);
    if (filtered)
        session->filter_matched = ts_filtered_matched(filtered);
    ts_filtered_free(filtered);
    free(replay.found);
    free(replay.cache);
    ts_callers_free(replay.callers);
    free(replay.values.text);
    free(replay.type_name);
    free(replay.type);
    free(replay.handled_type);
    free(replay.handled_message);
    free(replay.handled_stack);
    ts_descriptors_free(&replay.descriptors);
    ts_window_copy_free(&replay.window);
}

uint64_t ts_replay_estimate_calls(const struct ts_session *session) {
    uint64_t calls = 0;
    for (size_t i = 0; i < session->trace_count; i++)
        for (size_t w = 0; w < session->traces[i]->window_count; w++)
            calls += session->traces[i]->windows[w].calls;
    return calls;
}
