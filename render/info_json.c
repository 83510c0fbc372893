#include "render/info_json.h"

#include "render/certificate.h"
#include "render/json_document.h"
#include "render/losses.h"
#include "render/pauses.h"
#include "render/session_private.h"

static void add_processes(cJSON *document, const struct ts_certificate *certificate) {
    const struct ts_session *session = certificate->session;
    cJSON *processes = ts_json_add_array(document, "processes");
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        const struct ts_process_calls *calls = &certificate->counts.processes[i];
        cJSON *of_process = ts_json_add_object(processes, NULL);
        ts_json_add_unsigned(of_process, "pid", process->pid);
        ts_json_add_text(of_process, "name", process->name);
        ts_json_add_text(of_process, "command", process->command);
        ts_json_add_text(of_process, "end", ts_certificate_end_word(process->end_reason));
        ts_json_add_signed(of_process, "status", process->end_status);
        ts_json_add_unsigned(of_process, "duration_ns", process->end_ns - process->start_ns);
        ts_json_add_unsigned(of_process, "threads", ts_process_facts_of(process)->thread_count);
        ts_json_add_unsigned(of_process, "instrumented_calls", calls->instrumented);
        ts_json_add_unsigned(of_process, "hooked_calls", calls->hooked);
    }
}

static void add_texts(cJSON *document, const char *name, char *const *texts, size_t count) {
    cJSON *array = ts_json_add_array(document, name);
    for (size_t i = 0; i < count; i++)
        ts_json_add_text(array, NULL, texts[i]);
}

static void add_totals(cJSON *document, const struct ts_certificate *certificate) {
    static const char *const words[] = {
#define X(name, word, text) word,
        TS_CLOSED_BY(X)
#undef X
    };
    const struct ts_totals *totals = &certificate->session->totals;
    ts_json_add_unsigned(document, "threads", certificate->threads);
    ts_json_add_unsigned(document, "calls", totals->calls);
    if (totals->call_sites || totals->stacks) {
        ts_json_add_unsigned(document, "call_sites", totals->call_sites + totals->stacks);
        ts_json_add_unsigned(document, "stacks", totals->stacks);
        ts_json_add_unsigned(document, "whole_stacks", totals->whole_stacks);
    }
    ts_json_add_unsigned(document, "unfinished", totals->unfinished);
    ts_json_add_unsigned(document, "unwound", totals->unwound);
    cJSON *closed_by = ts_json_add_object(document, "closed_by");
    for (unsigned by = 0; by < TS_CLOSED_BY_COUNT; by++)
        ts_json_add_unsigned(closed_by, words[by], totals->closed_by[by]);
    ts_json_add_unsigned(document, "deep_calls", certificate->counts.deep);
    ts_json_add_unsigned(document, "left_by_exceptions", certificate->counts.exceptions);
    ts_json_add_unsigned(document, "exceptions_thrown", certificate->counts.moments[TS_MOMENT_THROW]);
    ts_json_add_unsigned(document, "exceptions_rethrown", certificate->counts.moments[TS_MOMENT_RETHROW]);
    ts_json_add_unsigned(document, "exceptions_caught", certificate->counts.moments[TS_MOMENT_CATCH]);
    ts_json_add_unsigned(document, "exceptions_uncaught", certificate->counts.moments[TS_MOMENT_TERMINATE]);
    add_texts(document, "uncaught", certificate->counts.uncaught.texts, certificate->counts.uncaught.count);
    ts_json_add_unsigned(document, "jumps", certificate->counts.moments[TS_MOMENT_JUMP]);
    ts_json_add_unsigned(document, "signals_handled", certificate->counts.signals);
    struct ts_pauses pauses = ts_pauses_find(certificate->session);
    ts_json_add_unsigned(document, "pauses", pauses.count);
    ts_json_add_unsigned(document, "paused_ns", pauses.ns);
    ts_json_add_unsigned(document, "lost_events", totals->lost_events);
    ts_json_add_unsigned(document, "dropped_calls", totals->dropped_calls);
    ts_json_add_unsigned(document, "dropped_windows", totals->dropped_windows);
    ts_json_add_unsigned(document, "misnested", totals->misnested);
    ts_json_add_unsigned(document, "damaged", totals->damaged_windows);
    ts_json_add_unsigned(document, "bytes", totals->file_bytes);
}

static void add_cost(cJSON *document, const struct ts_certificate *certificate) {
    const struct ts_own_cost *cost = &certificate->cost;
    uint64_t run_ns = ts_own_cost_run_ns(certificate->session);
    if (run_ns) {
        ts_json_add_unsigned(document, "run_ns", run_ns);
        ts_json_add_unsigned(document, "bytes_per_second",
                             (uint64_t)((double)certificate->session->totals.file_bytes * 1e9 / (double)run_ns));
    }
    if (!cost->cpu_ns)
        return;
    cJSON *own_cost = ts_json_add_object(document, "own_cost");
    ts_json_add_unsigned(own_cost, "processes", cost->processes);
    ts_json_add_unsigned(own_cost, "cpu_ns", cost->cpu_ns);
    ts_json_add_unsigned(own_cost, "added_ns", cost->added_ns);
    ts_json_add_unsigned(own_cost, "start_ns", cost->start_ns);
    ts_json_add_unsigned(own_cost, "events", cost->events);
    ts_json_add_unsigned(own_cost, "event_ps", cost->event_picoseconds);
    ts_json_add_unsigned(own_cost, "hooked_calls", cost->hooked_calls);
    ts_json_add_unsigned(own_cost, "hooked_call_ps", cost->hook_picoseconds);
}

static void add_hooks(cJSON *document, const struct ts_bound_hooks *bound) {
    cJSON *hooks = ts_json_add_array(document, "hooks");
    for (size_t i = 0; i < bound->count; i++) {
        cJSON *hook = ts_json_add_object(hooks, NULL);
        ts_json_add_text(hook, "pack", bound->hooks[i].pack);
        ts_json_add_text(hook, "name", bound->hooks[i].name);
        ts_json_add_text(hook, "scope", bound->hooks[i].scope);
        ts_json_add_unsigned(hook, "calls", bound->hooks[i].calls);
    }
}

static void add_unseen(cJSON *document, const struct ts_unseen_list *unseen) {
    cJSON *not_seen = ts_json_add_array(document, "not_seen");
    for (size_t i = 0; i < unseen->count; i++) {
        cJSON *item = ts_json_add_object(not_seen, NULL);
        ts_json_add_text(item, "what", unseen->items[i].what);
        ts_json_add_text(item, "why", unseen->items[i].why);
    }
}

static void add_losses(cJSON *document, const struct ts_session *session, const struct ts_trace *trace) {
    struct ts_loss lost[TS_LOSSES_MOST];
    size_t count = ts_losses_of(session, trace, lost);
    cJSON *losses = ts_json_add_array(document, "losses");
    for (size_t i = 0; i < count; i++) {
        cJSON *loss = ts_json_add_object(losses, NULL);
        ts_json_add_text(loss, "what", lost[i].is_dropped ? "dropped_calls" : "lost_events");
        ts_json_add_text(loss, "why", lost[i].reason);
        ts_json_add_unsigned(loss, "count", lost[i].count);
        if (lost[i].range.known) {
            ts_json_add_unsigned(loss, "from_ns", lost[i].range.from_ns);
            ts_json_add_unsigned(loss, "to_ns", lost[i].range.to_ns);
        }
    }
}

static void add_traces(cJSON *document, const struct ts_session *session) {
    static const char *const kinds[] = {
        [TS_CLOCK_TSC] = "tsc", [TS_CLOCK_CNTVCT] = "cntvct", [TS_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC"};
    static const char *const sources[] = {[TS_CLOCK_RATE_EXACT] = "exact",
                                          [TS_CLOCK_RATE_PAIRS] = "pairs",
                                          [TS_CLOCK_RATE_STATED] = "stated",
                                          [TS_CLOCK_RATE_SHORT] = "short_pairs",
                                          [TS_CLOCK_RATE_GUESS] = "not_known"};
    cJSON *traces = ts_json_add_array(document, "traces");
    for (size_t i = 0; i < session->trace_count; i++) {
        const struct ts_trace *trace = session->traces[i];
        cJSON *of_trace = ts_json_add_object(traces, NULL);
        ts_json_add_text(of_trace, "path", trace->path);
        ts_json_add_unsigned(of_trace, "bytes", trace->data_bytes);
        ts_json_add_unsigned(of_trace, "most_bytes", trace->header.file_bytes);
        cJSON *clock = ts_json_add_object(of_trace, "clock");
        ts_json_add_text(clock, "kind", kinds[trace->header.clock_kind]);
        ts_json_add_text(clock, "rate_from", sources[trace->clock.source]);
        ts_json_add_unsigned(clock, "hz", trace->clock.hz);
        ts_json_add_unsigned(clock, "pairs", trace->clock.point_count);
        ts_json_add_unsigned(clock, "outliers", trace->clock.outliers);
        ts_json_add_unsigned(clock, "worst_residual_ns", trace->clock.worst_residual_ns);
        ts_json_add_unsigned(clock, "steps_back", trace->clock_steps_back);
        add_losses(of_trace, session, trace);
    }
}

static void add_modules(cJSON *document, const struct ts_patched_modules *patched) {
    cJSON *modules = ts_json_add_array(document, "modules");
    for (size_t i = 0; i < patched->count; i++) {
        const struct ts_patched_module *module = &patched->modules[i];
        char build_id[2 * sizeof module->object->build_id + 1] = "";
        for (uint32_t byte = 0; byte < module->object->build_id_bytes; byte++)
            snprintf(build_id + 2 * byte, 3, "%02x", module->object->build_id[byte]);
        cJSON *of_module = ts_json_add_object(modules, NULL);
        ts_json_add_text(of_module, "path", module->object->path);
        if (*build_id)
            ts_json_add_text(of_module, "build_id", build_id);
        ts_json_add_truth(of_module, "instrumented", module->is_instrumented);
        if (module->is_told) {
            ts_json_add_unsigned(of_module, "patched", module->patched);
            ts_json_add_unsigned(of_module, "left", module->left);
            ts_json_add_unsigned(of_module, "refused", module->refused);
        }
        if (module->object->problem)
            ts_json_add_text(of_module, "names_missing", module->object->problem);
    }
}

int ts_info_write_json(struct ts_session *session, FILE *out, struct ts_error *error) {
    struct ts_certificate certificate;
    cJSON *document = ts_json_document_new();
    ts_certificate_make(&certificate, session);
    ts_json_add_truth(document, "complete", certificate.missing.count == 0);
    add_texts(document, "missing", certificate.missing.texts, certificate.missing.count);
    ts_json_add_text(document, "session", session->directory);
    add_processes(document, &certificate);
    add_totals(document, &certificate);
    add_cost(document, &certificate);
    add_hooks(document, &certificate.hooks);
    add_unseen(document, &certificate.unseen);
    add_traces(document, session);
    add_modules(document, &certificate.modules);
    add_texts(document, "warnings", session->warnings, session->warning_count);
    ts_certificate_free(&certificate);
    return ts_json_document_write(document, out, "the certificate", error);
}
