#include "render/info.h"

#include "render/certificate.h"
#include "render/chrome_sink.h"
#include "render/count_text.h"
#include "render/duration_text.h"
#include "render/info_hooks.h"
#include "render/info_trace.h"
#include "render/missing.h"
#include "render/pauses.h"
#include "render/session_private.h"
#include "render/text_escape.h"
#include "render/written.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void write_end(const struct ts_session *session, const struct ts_process *process, FILE *out) {
    const struct ts_crash *crash = ts_facts_crash(process->trace, ts_process_facts_of(process), session->functions);
    if (crash) {
        fputs("killed by ", out);
        ts_crash_write(crash, out);
        return;
    }
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

static void write_process(const struct ts_session *session, const struct ts_process *process, FILE *out) {
    struct ts_duration_text length = ts_duration_text(process->end_ns - process->start_ns);
    fprintf(out, "process %" PRIu32 ": ", process->pid);
    ts_text_write_name(out, process->name);
    if (process->mpi_rank >= 0)
        fprintf(out, ", mpi rank %d", process->mpi_rank);
    if (process->mpi_rank >= 0 && process->mpi_size >= 0)
        fprintf(out, " of %d", process->mpi_size);
    fputs(", ", out);
    write_end(session, process, out);
    fprintf(out, ", %s", length.text);
    if (*process->command) {
        fputs(", command ", out);
        ts_text_write_quoted(out, process->command);
    }
    putc('\n', out);
}

static void write_unrecorded(const struct ts_session *session, FILE *out) {
    for (size_t t = 0; t < session->trace_count; t++) {
        const struct ts_facts *facts = session->traces[t]->facts;
        for (size_t i = 0; i < facts->unrecorded_count; i++) {
            fprintf(out, "not recorded: process %" PRIu32 ", ", facts->unrecorded[i]->thread.tid);
            ts_text_write_name(out, facts->unrecorded[i]->path);
            fprintf(out, ": %s\n", facts->unrecorded[i]->why);
        }
    }
}

/* The heading of a group: a person finds it, a program skips it. */
static void write_heading(const char *heading, FILE *out) {
    fprintf(out, "\n# %s\n", heading);
}

static void write_verdict(const struct ts_certificate *certificate, FILE *out) {
    const struct ts_text_list *missing = &certificate->missing;
    if (missing->count == 0) {
        fputs(ts_pauses_find(certificate->session).count
                  ? "complete but for what was paused: every other call that can "
                    "be seen was recorded"
              : certificate->session->totals.calls ? "complete: every call that can be seen was recorded"
                                                   : "complete: no call that can be seen was made",
              out);
    } else {
        for (size_t i = 0; i < missing->count; i++) {
            fputs(i ? "; " : "NOT complete: ", out);
            ts_text_write_name(out, missing->texts[i]);
        }
    }
    if (certificate->no_end)
        fprintf(out, "; %" PRIu64 " %s: what is open there has no end", certificate->no_end,
                certificate->no_end == 1 ? "process was killed or still runs" : "processes were killed or still run");
    putc('\n', out);
}

static void write_closed_by(const struct ts_totals *totals, unsigned first, unsigned end, FILE *out) {
    static const char *const words[] = {
#define X(name, word, text) word,
        TS_CLOSED_BY(X)
#undef X
    };
    static const char *const texts[] = {
#define X(name, word, text) text,
        TS_CLOSED_BY(X)
#undef X
    };
    for (unsigned by = first; by < end; by++)
        if (totals->closed_by[by])
            fprintf(out, "closed by %s: %" PRIu64 " (%s)\n", words[by], totals->closed_by[by], texts[by]);
}

/* What level 3 records besides calls. */
static void write_events(const struct ts_info_counts *counts, FILE *out) {
    const uint64_t *moments = counts->moments;
    if (moments[TS_MOMENT_THROW] || moments[TS_MOMENT_RETHROW] || moments[TS_MOMENT_CATCH])
        fprintf(out, "exceptions: %" PRIu64 " thrown, %" PRIu64 " rethrown, %" PRIu64 " caught, %" PRIu64 " uncaught\n",
                moments[TS_MOMENT_THROW], moments[TS_MOMENT_RETHROW], moments[TS_MOMENT_CATCH],
                moments[TS_MOMENT_TERMINATE]);
    for (size_t i = 0; i < counts->uncaught.count; i++) {
        fputs("uncaught: ", out);
        ts_text_write_name(out, counts->uncaught.texts[i]);
        putc('\n', out);
    }
    if (moments[TS_MOMENT_JUMP])
        fprintf(out, "jumps: %" PRIu64 "\n", moments[TS_MOMENT_JUMP]);
    if (counts->signals)
        fprintf(out, "signals: %" PRIu64 " handled\n", counts->signals);
}

static void write_counts(const struct ts_certificate *certificate, FILE *out) {
    const struct ts_totals *totals = &certificate->session->totals;
    fprintf(out, "threads: %" PRIu64 "\n", certificate->threads);
    fprintf(out, "calls: %" PRIu64 "\n", totals->calls);
    write_events(&certificate->counts, out);
    if (totals->stacks || totals->call_sites)
        fprintf(out,
                "callers: %" PRIu64 " call sites, %" PRIu64 " stacks, %" PRIu64
                " whole (up to an open call, or to where the thread began)\n",
                totals->call_sites + totals->stacks, totals->stacks, totals->whole_stacks);
    char *paused = ts_pauses_text(certificate->session);
    if (paused)
        fprintf(out, "paused: %s\n", paused);
    free(paused);
    write_heading("Calls without an exit", out);
    fprintf(out, "unfinished: %" PRIu64 "%s\n", totals->unfinished,
            totals->unfinished ? " (still open when their thread was last seen)" : "");
    write_closed_by(totals, TS_CLOSED_BY_PROCESS_EXIT, TS_CLOSED_BY_COUNT, out);
    fprintf(out, "unwound: %" PRIu64 "%s\n", totals->unwound,
            totals->unwound ? " (left by an exception, longjmp or the end of their thread)" : "");
    write_closed_by(totals, 0, TS_CLOSED_BY_PROCESS_EXIT, out);
    fprintf(out, "left by exceptions: %" PRIu64 "%s\n", certificate->counts.exceptions,
            certificate->counts.exceptions ? " (with an exit, or unwound)" : "");
    if (certificate->counts.deep)
        fprintf(out, "calls inside %d others: %" PRIu64 ", left out of chrome, perfetto and speedscope files\n",
                TS_CHROME_DEPTH, certificate->counts.deep);
    write_heading("Missing", out);
    fprintf(out, "lost: %" PRIu64 " events\n", totals->lost_events);
    fprintf(out, "dropped: %" PRIu64 " calls in %" PRIu64 " windows\n", totals->dropped_calls, totals->dropped_windows);
    fprintf(out, "misnested: %" PRIu64 "%s\n", totals->misnested,
            totals->misnested ? " (exits without a call: left out)" : "");
    fprintf(out, "damaged: %" PRIu64 "%s\n", totals->damaged_windows,
            totals->damaged_windows ? " (parts of the trace that could not be read)" : "");
}

static void write_cost(const struct ts_certificate *certificate, FILE *out) {
    const struct ts_totals *totals = &certificate->session->totals;
    const struct ts_own_cost *cost = &certificate->cost;
    uint64_t run_ns = ts_own_cost_run_ns(certificate->session);
    fprintf(out, "size: %" PRIu64 " bytes used", totals->file_bytes);
    if (totals->calls)
        fprintf(out, ", %.1f per call", (double)totals->file_bytes / (double)totals->calls);
    putc('\n', out);
    if (run_ns)
        fprintf(out, "rate: %.0f bytes per second, over %s\n", (double)totals->file_bytes * 1e9 / (double)run_ns,
                ts_duration_text(run_ns).text);
    if (!cost->cpu_ns) {
        fputs("own cost: not known (no process told its CPU time, which it does at its end)\n", out);
        return;
    }
    fprintf(out, "own cost: %.2f %% of the CPU time, %s of %s", 100 * (double)cost->added_ns / (double)cost->cpu_ns,
            ts_duration_text(cost->added_ns).text, ts_duration_text(cost->cpu_ns).text);
    fprintf(out, ": %s starting", ts_duration_text(cost->start_ns).text);
    if (cost->events)
        fprintf(out, ", %s events at %.1f ns", ts_count_text(cost->events).text,
                (double)cost->event_picoseconds / 1000);
    if (cost->hooked_calls)
        fprintf(out, ", %s hooked calls at %.1f ns", ts_count_text(cost->hooked_calls).text,
                (double)cost->hook_picoseconds / 1000);
    if (cost->processes < certificate->session->process_count)
        fprintf(out, " (in the %zu of %zu processes that told their CPU time)", cost->processes,
                certificate->session->process_count);
    putc('\n', out);
}

static void write_unseen(const struct ts_unseen_list *unseen, FILE *out) {
    if (unseen->count)
        write_heading("Cannot be seen", out);
    for (size_t i = 0; i < unseen->count; i++) {
        fputs("not seen: ", out);
        ts_text_write_name(out, unseen->items[i].what);
        fputs(": ", out);
        ts_text_write_name(out, unseen->items[i].why);
        putc('\n', out);
    }
}

static void write_patched(const struct ts_patched_modules *modules, FILE *out) {
    size_t patched = 0, refused = 0;
    uint64_t slots = 0;
    for (size_t i = 0; i < modules->count; i++) {
        const struct ts_patched_module *module = &modules->modules[i];
        patched += module->patched != 0;
        refused += module->refused != 0;
        slots += module->patched;
    }
    fprintf(out, "modules: %zu loaded, %zu patched in %" PRIu64 " slots, %zu refused\n", modules->count, patched, slots,
            refused);
    for (size_t i = 0; i < modules->count; i++) {
        const struct ts_patched_module *module = &modules->modules[i];
        if (!module->is_told && !module->is_instrumented)
            continue;
        fputs("patched: ", out);
        ts_text_write_name(out, *module->object->path ? module->object->path : "?");
        fputs(module->is_instrumented ? ", instrumented" : "", out);
        if (module->is_told)
            fprintf(out, ", %" PRIu64 " slots", module->patched);
        else
            fputs(", slots not told (a process tells them at its end)", out);
        if (module->left)
            fprintf(out, ", %" PRIu64 " left", module->left);
        if (module->refused)
            fputs(", refused (its pages cannot be made writable)", out);
        putc('\n', out);
    }
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

static void write_trace_files(const struct ts_session *session, FILE *out) {
    if (session->trace_count)
        write_heading("Trace files", out);
    for (size_t i = 0; i < session->trace_count; i++)
        ts_info_write_trace(session, session->traces[i], out);
}

static void write_warnings(const struct ts_session *session, FILE *out) {
    if (session->warning_count)
        write_heading("Warnings", out);
    for (size_t i = 0; i < session->warning_count; i++) {
        fputs("warning: ", out);
        ts_text_write_name(out, session->warnings[i]);
        putc('\n', out);
    }
}

int ts_info_write(struct ts_session *session, FILE *out, struct ts_error *error) {
    struct ts_certificate certificate;
    ts_certificate_make(&certificate, session);
    write_verdict(&certificate, out);
    write_heading("Recorded", out);
    fputs("session: ", out);
    ts_text_write_name(out, session->directory);
    fprintf(out, "\nprocesses: %zu\n", session->process_count);
    for (size_t i = 0; i < session->process_count; i++)
        write_process(session, session->processes[i], out);
    write_unrecorded(session, out);
    write_counts(&certificate, out);
    write_heading("Cost", out);
    write_cost(&certificate, out);
    if (certificate.hooks.count)
        write_heading("Hooks", out);
    ts_info_write_hooks(&certificate.hooks, out);
    write_unseen(&certificate.unseen, out);
    write_trace_files(session, out);
    write_heading("Modules", out);
    write_patched(&certificate.modules, out);
    for (uint32_t i = 0; i < ts_functions_object_count(session->functions); i++)
        if (ts_functions_object_at(session->functions, i)->is_loaded)
            write_object(ts_functions_object_at(session->functions, i), out);
    write_warnings(session, out);
    ts_certificate_free(&certificate);
    return ts_written_all(out, "the facts", error);
}

/* So many of the processes that signals ended are told of in the summary: the others are in `info`. */
#define SUMMARY_CRASHES 4u

static void write_crashes(const struct ts_session *session, FILE *out) {
    unsigned written = 0;
    for (size_t i = 0; i < session->process_count && written < SUMMARY_CRASHES; i++) {
        const struct ts_process *process = session->processes[i];
        const struct ts_crash *crash = ts_facts_crash(process->trace, ts_process_facts_of(process), session->functions);
        if (!crash)
            continue;
        fputs("traceshim: ", out);
        ts_text_write_name(out, process->name);
        fprintf(out, " (process %" PRIu32 ") was killed by ", process->pid);
        ts_crash_write(crash, out);
        putc('\n', out);
        written++;
    }
}

void ts_info_write_summary(const struct ts_session *session, FILE *out) {
    write_crashes(session, out);
    struct ts_text_list missing = {0};
    ts_missing_find(&missing, session);
    for (size_t i = 0; i < missing.count; i++) {
        fputs(i ? "; " : "traceshim: incomplete: ", out);
        ts_text_write_name(out, missing.texts[i]);
    }
    if (missing.count)
        putc('\n', out);
    ts_text_list_free(&missing);
    char *paused = ts_pauses_text(session);
    if (paused)
        fprintf(out, "traceshim: %s\n", paused);
    free(paused);
    if (session->warning_count) {
        fputs("traceshim: ", out);
        ts_text_write_name(out, session->warnings[0]);
        if (session->warning_count > 1)
            fprintf(out, " (and %zu more: see `traceshim info`)", session->warning_count - 1);
        putc('\n', out);
    }
}
