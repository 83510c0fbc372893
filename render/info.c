#include "render/info.h"

#include "render/duration_text.h"
#include "render/info_hooks.h"
#include "render/info_trace.h"
#include "render/replay.h"
#include "render/session_private.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void write_end(const struct ts_process *process, FILE *out) {
    switch (process->end_reason) {
    case TS_END_EXIT:
        fprintf(out, "exited with status %d", process->end_status);
        break;
    case TS_END_IMMEDIATE:
        fprintf(out, "ended by _exit with status %d", process->end_status);
        break;
    case TS_END_QUICK_EXIT:
        fprintf(out, "ended by quick_exit with status %d", process->end_status);
        break;
    case TS_END_ABORT:
        fputs("aborted", out);
        break;
    case TS_END_EXEC:
        fputs("executed another program", out);
        break;
    case TS_END_SIGNAL: {
        const char *name = sigabbrev_np(process->end_status);
        fprintf(out, name ? "killed by signal %d (SIG%s)" : "killed by signal %d", process->end_status, name);
        break;
    }
    default:
        fputs("end not seen (killed, or still running)", out);
    }
}

static void write_process(const struct ts_process *process, FILE *out) {
    struct ts_duration_text length = ts_duration_text(process->end_ns - process->start_ns);
    fprintf(out, "process %" PRIu32 ": ", process->pid);
    ts_text_write_name(out, process->name);
    if (process->mpi_rank >= 0)
        fprintf(out, ", mpi rank %d of %d", process->mpi_rank, process->mpi_size);
    fputs(", ", out);
    write_end(process, out);
    fprintf(out, ", %s", length.text);
    if (*process->command) {
        fputs(", command ", out);
        ts_text_write_quoted(out, process->command);
    }
    putc('\n', out);
}

static uint64_t count_threads(const struct ts_session *session) {
    uint64_t threads = 0;
    for (size_t i = 0; i < session->process_count; i++)
        threads += ts_process_facts_of(session->processes[i])->thread_count;
    return threads;
}

static void write_counts(const struct ts_session *session, FILE *out) {
    const struct ts_totals *totals = &session->totals;
    fprintf(out, "threads: %" PRIu64 "\n", count_threads(session));
    fprintf(out, "calls: %" PRIu64 "\n", totals->calls);
    fprintf(out, "unfinished: %" PRIu64 "%s\n", totals->unfinished,
            totals->unfinished ? " (still open when their thread was last seen)" : "");
    fprintf(out, "unwound: %" PRIu64 "%s\n", totals->unwound,
            totals->unwound ? " (left by an exception, longjmp or the end of their thread)" : "");
    fprintf(out, "lost: %" PRIu64 " events\n", totals->lost_events);
    fprintf(out, "dropped: %" PRIu64 " calls in %" PRIu64 " windows\n", totals->dropped_calls, totals->dropped_windows);
    fprintf(out, "misnested: %" PRIu64 "%s\n", totals->misnested,
            totals->misnested ? " (exits without a call: left out)" : "");
    fprintf(out, "damaged: %" PRIu64 "%s\n", totals->damaged_windows,
            totals->damaged_windows ? " (parts of the trace that could not be read)" : "");
    fprintf(out, "size: %" PRIu64 " bytes used", totals->file_bytes);
    if (totals->calls)
        fprintf(out, ", %.1f per call", (double)totals->file_bytes / (double)totals->calls);
    putc('\n', out);
}

static void write_object(struct ts_object *object, FILE *out) {
    fputs("module: ", out);
    ts_text_write_name(out, *object->path ? object->path : "?");
    if (object->build_id_bytes) {
        fputs(", build-id ", out);
        for (uint32_t i = 0; i < object->build_id_bytes; i++)
            fprintf(out, "%02x", object->build_id[i]);
    }
    if (object->problem) {
        fputs(", names are missing: ", out);
        ts_text_write_name(out, object->problem);
    }
    putc('\n', out);
}

static void write_objects(struct ts_session *session, FILE *out) {
    /* Asking for one name of each object tells whether its names can be had. */
    for (uint32_t id = 0; id < ts_functions_count(session->functions); id++) {
        struct ts_function *function = ts_functions_at(session->functions, id);
        if (function->object && !function->object->symbols_tried)
            ts_function_name(function);
    }
    for (uint32_t i = 0; i < ts_functions_object_count(session->functions); i++)
        write_object(ts_functions_object_at(session->functions, i), out);
}

int ts_info_write(struct ts_session *session, FILE *out, struct ts_error *error) {
    struct ts_hook_calls counted = {0};
    struct ts_sink sink = ts_hook_calls_sink(&counted);
    ts_replay(session, &sink, NULL);
    fputs("session: ", out);
    ts_text_write_name(out, session->directory);
    fprintf(out, "\nprocesses: %zu\n", session->process_count);
    for (size_t i = 0; i < session->process_count; i++)
        write_process(session->processes[i], out);
    write_counts(session, out);
    ts_info_write_hooks(session, &counted, out);
    ts_hook_calls_free(&counted);
    for (size_t i = 0; i < session->trace_count; i++)
        ts_info_write_trace(session, session->traces[i], out);
    write_objects(session, out);
    for (size_t i = 0; i < session->warning_count; i++) {
        fputs("warning: ", out);
        ts_text_write_name(out, session->warnings[i]);
        putc('\n', out);
    }
    return ferror(out) ? ts_error_set(error, "cannot write: the output is full or closed") : 0;
}

void ts_info_write_summary(const struct ts_session *session, FILE *out) {
    const struct ts_totals *totals = &session->totals;
    const char *separator = "traceshim: incomplete: ";
    if (totals->lost_events) {
        fprintf(out, "%s%" PRIu64 " event%s lost (", separator, totals->lost_events, plural(totals->lost_events));
        ts_info_write_lost_reasons(session, out);
        putc(')', out);
        separator = "; ";
    }
    if (totals->dropped_windows) {
        fprintf(out, "%sthe oldest %" PRIu64 " call%s dropped (TRACE_MAX_SIZE reached)", separator,
                totals->dropped_calls, plural(totals->dropped_calls));
        separator = "; ";
    }
    if (totals->misnested) {
        fprintf(out, "%s%" PRIu64 " exit%s without a call", separator, totals->misnested, plural(totals->misnested));
        separator = "; ";
    }
    if (totals->damaged_windows) {
        fprintf(out, "%s%" PRIu64 " damaged part%s left out", separator, totals->damaged_windows,
                plural(totals->damaged_windows));
        separator = "; ";
    }
    if (strcmp(separator, "; ") == 0)
        putc('\n', out);
    if (session->warning_count) {
        fputs("traceshim: ", out);
        ts_text_write_name(out, session->warnings[0]);
        if (session->warning_count > 1)
            fprintf(out, " (and %zu more: see `traceshim info`)", session->warning_count - 1);
        putc('\n', out);
    }
}
