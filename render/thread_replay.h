/* Replays one thread: its windows in order, on all its stacks. */
#ifndef TRACESHIM_RENDER_THREAD_REPLAY_H
#define TRACESHIM_RENDER_THREAD_REPLAY_H

#include "render/callers.h"
#include "render/function_cache.h"
#include "render/hook_values.h"
#include "render/replay.h"
#include "render/span_filter.h"
#include "render/trace_file.h"

/* One replay of a session; shared by the threads, one after another. */
struct ts_replay {
    struct ts_session *session;
    struct ts_totals *totals; /* the session's, or a part's */
    struct ts_sink sink;      /* every member set, but for `attribute` and `moment` */
    const volatile int *stop;
    struct ts_span_time time; /* what lies outside need not be read */
    struct ts_function_cache *cache;
    struct ts_window_copy window;
    struct ts_hook_values values;      /* tells the sink; `tell` is NULL where it does not want to know */
    struct ts_descriptors descriptors; /* of the window */
    char *type_name; /* of the exception that was thrown last, and how a person reads it; NULL: none */
    char *type;
    /* Of the exception that the C++ run-time library itself caught last in this thread; NULL: none, or not known. */
    char *handled_type;
    char *handled_message;
    char *handled_stack;
    struct ts_callers *callers;
    struct ts_stream **found; /* streams that no window's header had told of */
    size_t found_count;
    size_t found_capacity;
};

/* `streams`: those of the thread that the session knows, at least one. Its trace must be acquired. */
void ts_thread_replay(struct ts_replay *replay, struct ts_stream **streams, size_t count);

#endif
