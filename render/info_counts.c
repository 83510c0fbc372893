#include "render/info_counts.h"

#include "collector/trace_format.h"
#include "render/chrome_sink.h"
#include "render/memory.h"
#include "render/session_private.h"

#include <stdlib.h>
#include <string.h>

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_info_counts *counts = context;
    counts->stream = stream;
    counts->process = &counts->processes[((const struct ts_session_process *)stream->process)->order];
}

static void count_enter(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_info_counts *counts = context;
    (void)start_ns;
    uintptr_t depth = (uintptr_t)counts->stream->user;
    counts->stream->user = (void *)(depth + 1);
    counts->deep += depth >= TS_CHROME_DEPTH;
    if (flags & TS_ENTER_INHERITED)
        return;
    size_t need = (size_t)function->id + 1;
    if (need > counts->count) {
        counts->calls = ts_memory_grow(counts->calls, &counts->capacity, need, sizeof *counts->calls);
        memset(counts->calls + counts->count, 0, (need - counts->count) * sizeof *counts->calls);
        counts->count = need;
    }
    counts->calls[function->id]++;
    if (function->hooked && function->hooked->flags & TS_HOOK_HANDLES_SIGNALS)
        counts->signals++;
    if (function->hooked)
        counts->process->hooked++;
    else
        counts->process->instrumented++;
}

static void count_leave(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_info_counts *counts = context;
    (void)end_ns;
    (void)how;
    counts->stream->user = (void *)((uintptr_t)counts->stream->user - 1);
}

static void count_failure(void *context, const struct ts_failure *failure) {
    struct ts_info_counts *counts = context;
    counts->exceptions += ts_failure_is_exception(failure);
}

static const char *text_of(const struct ts_moment *moment, const char *key) {
    for (size_t i = 0; i < moment->attribute_count; i++)
        if (!strcmp(moment->attributes[i].key, key))
            return moment->attributes[i].value.string;
    return NULL;
}

#define UNCAUGHT_MOST 16

/* The signal that ends the process tells of the same exception again, or alone. */
static void note_uncaught(struct ts_text_list *uncaught, const struct ts_moment *moment) {
    const char *type = text_of(moment, "exception.type"), *message = text_of(moment, "exception.message");
    const char *stack = text_of(moment, moment->kind == TS_MOMENT_CRASH ? "exception.stack" : "stack");
    if (!type || uncaught->count == UNCAUGHT_MOST)
        return;
    char *text = ts_memory_text("%s%s%s%s%s%s", type, message ? " '" : "", message ? message : "", message ? "'" : "",
                                stack ? ", thrown in " : "", stack ? stack : "");
    if (uncaught->count && !strcmp(uncaught->texts[uncaught->count - 1], text))
        free(text);
    else
        ts_text_list_add(uncaught, text);
}

static void count_moment(void *context, const struct ts_moment *moment) {
    struct ts_info_counts *counts = context;
    counts->moments[moment->kind]++;
    if (moment->kind == TS_MOMENT_TERMINATE || moment->kind == TS_MOMENT_CRASH)
        note_uncaught(&counts->uncaught, moment);
}

void ts_info_counts_make(struct ts_info_counts *counts, struct ts_session *session) {
    *counts =
        (struct ts_info_counts){.processes = ts_memory_new(session->process_count + 1, sizeof *counts->processes)};
    const struct ts_sink sink = {.context = counts,
                                 .select = select_stream,
                                 .enter = count_enter,
                                 .leave = count_leave,
                                 .failure = count_failure,
                                 .moment = count_moment};
    ts_replay(session, &sink, NULL);
}

void ts_info_counts_free(struct ts_info_counts *counts) {
    free(counts->calls);
    free(counts->processes);
    ts_text_list_free(&counts->uncaught);
    *counts = (struct ts_info_counts){0};
}

uint64_t ts_info_counts_of(const struct ts_info_counts *counts, const struct ts_function *function) {
    return function->id < counts->count ? counts->calls[function->id] : 0;
}
