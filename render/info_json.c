#include "render/info_json.h"

#include "render/certificate.h"
#include "render/json_stream.h"
#include "render/losses.h"
#include "render/session_private.h"

/* Members and items; `first` is 1 after an opening bracket. */
struct writer {
    struct ts_json_stream json;
    int first;
};

static void separate(struct writer *writer) {
    if (!writer->first)
        ts_json_stream_text(&writer->json, ",");
    writer->first = 0;
}

static void key(struct writer *writer, const char *name) {
    separate(writer);
    ts_json_stream_string(&writer->json, name);
    ts_json_stream_text(&writer->json, ":");
}

static void number(struct writer *writer, const char *name, uint64_t value) {
    key(writer, name);
    ts_json_stream_unsigned(&writer->json, value);
}

static void text(struct writer *writer, const char *name, const char *value) {
    key(writer, name);
    ts_json_stream_string(&writer->json, value);
}

static void truth(struct writer *writer, const char *name, int value) {
    key(writer, name);
    ts_json_stream_text(&writer->json, value ? "true" : "false");
}

/* `name` NULL: an item of an array. */
static void begin(struct writer *writer, const char *name, const char *bracket) {
    if (name)
        key(writer, name);
    else
        separate(writer);
    ts_json_stream_text(&writer->json, bracket);
    writer->first = 1;
}

static void end(struct writer *writer, const char *bracket) {
    ts_json_stream_text(&writer->json, bracket);
    writer->first = 0;
}

static void item(struct writer *writer, const char *value) {
    separate(writer);
    ts_json_stream_string(&writer->json, value);
}

static void write_processes(struct writer *writer, const struct ts_certificate *certificate) {
    const struct ts_session *session = certificate->session;
    begin(writer, "processes", "[");
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        const struct ts_process_calls *calls = &certificate->counts.processes[i];
        begin(writer, NULL, "\n{");
        number(writer, "pid", process->pid);
        text(writer, "name", process->name);
        text(writer, "command", process->command);
        text(writer, "end", ts_certificate_end_word(process->end_reason));
        key(writer, "status");
        ts_json_stream_signed(&writer->json, process->end_status);
        number(writer, "duration_ns", process->end_ns - process->start_ns);
        number(writer, "threads", ts_process_facts_of(process)->thread_count);
        number(writer, "instrumented_calls", calls->instrumented);
        number(writer, "hooked_calls", calls->hooked);
        end(writer, "}");
    }
    end(writer, "]");
}

static void write_totals(struct writer *writer, const struct ts_certificate *certificate) {
    static const char *const words[] = {
#define X(name, word, text) word,
        TS_CLOSED_BY(X)
#undef X
    };
    const struct ts_totals *totals = &certificate->session->totals;
    number(writer, "threads", certificate->threads);
    number(writer, "calls", totals->calls);
    if (totals->call_sites || totals->stacks) {
        number(writer, "call_sites", totals->call_sites + totals->stacks);
        number(writer, "stacks", totals->stacks);
        number(writer, "whole_stacks", totals->whole_stacks);
    }
    number(writer, "unfinished", totals->unfinished);
    number(writer, "unwound", totals->unwound);
    begin(writer, "closed_by", "{");
    for (unsigned by = 0; by < TS_CLOSED_BY_COUNT; by++)
        number(writer, words[by], totals->closed_by[by]);
    end(writer, "}");
    number(writer, "deep_calls", certificate->counts.deep);
    number(writer, "left_by_exceptions", certificate->counts.exceptions);
    number(writer, "exceptions_thrown", certificate->counts.moments[TS_MOMENT_THROW]);
    number(writer, "exceptions_rethrown", certificate->counts.moments[TS_MOMENT_RETHROW]);
    number(writer, "exceptions_caught", certificate->counts.moments[TS_MOMENT_CATCH]);
    number(writer, "exceptions_uncaught", certificate->counts.moments[TS_MOMENT_TERMINATE]);
    number(writer, "jumps", certificate->counts.moments[TS_MOMENT_JUMP]);
    number(writer, "signals_handled", certificate->counts.signals);
    number(writer, "lost_events", totals->lost_events);
    number(writer, "dropped_calls", totals->dropped_calls);
    number(writer, "dropped_windows", totals->dropped_windows);
    number(writer, "misnested", totals->misnested);
    number(writer, "damaged", totals->damaged_windows);
    number(writer, "bytes", totals->file_bytes);
}

static void write_cost(struct writer *writer, const struct ts_certificate *certificate) {
    const struct ts_own_cost *cost = &certificate->cost;
    uint64_t run_ns = ts_own_cost_run_ns(certificate->session);
    if (run_ns) {
        number(writer, "run_ns", run_ns);
        number(writer, "bytes_per_second",
               (uint64_t)((double)certificate->session->totals.file_bytes * 1e9 / (double)run_ns));
    }
    if (!cost->cpu_ns)
        return;
    begin(writer, "own_cost", "{");
    number(writer, "processes", cost->processes);
    number(writer, "cpu_ns", cost->cpu_ns);
    number(writer, "added_ns", cost->added_ns);
    number(writer, "start_ns", cost->start_ns);
    number(writer, "events", cost->events);
    number(writer, "event_ps", cost->event_picoseconds);
    number(writer, "hooked_calls", cost->hooked_calls);
    number(writer, "hooked_call_ps", cost->hook_picoseconds);
    end(writer, "}");
}

static void write_hooks(struct writer *writer, const struct ts_bound_hooks *hooks) {
    begin(writer, "hooks", "[");
    for (size_t i = 0; i < hooks->count; i++) {
        begin(writer, NULL, "\n{");
        text(writer, "pack", hooks->hooks[i].pack);
        text(writer, "name", hooks->hooks[i].name);
        text(writer, "scope", hooks->hooks[i].scope);
        number(writer, "calls", hooks->hooks[i].calls);
        end(writer, "}");
    }
    end(writer, "]");
}

static void write_unseen(struct writer *writer, const struct ts_unseen_list *unseen) {
    begin(writer, "not_seen", "[");
    for (size_t i = 0; i < unseen->count; i++) {
        begin(writer, NULL, "\n{");
        text(writer, "what", unseen->items[i].what);
        text(writer, "why", unseen->items[i].why);
        end(writer, "}");
    }
    end(writer, "]");
}

static void write_losses(struct writer *writer, const struct ts_session *session, const struct ts_trace *trace) {
    struct ts_loss losses[TS_LOSSES_MOST];
    size_t count = ts_losses_of(session, trace, losses);
    begin(writer, "losses", "[");
    for (size_t i = 0; i < count; i++) {
        begin(writer, NULL, "{");
        text(writer, "what", losses[i].reason ? "lost_events" : "dropped_calls");
        text(writer, "why", losses[i].reason ? losses[i].reason : "TRACE_MAX_SIZE was reached");
        number(writer, "count", losses[i].count);
        if (losses[i].range.known) {
            number(writer, "from_ns", losses[i].range.from_ns);
            number(writer, "to_ns", losses[i].range.to_ns);
        }
        end(writer, "}");
    }
    end(writer, "]");
}

static void write_traces(struct writer *writer, const struct ts_session *session) {
    static const char *const kinds[] = {
        [TS_CLOCK_TSC] = "tsc", [TS_CLOCK_CNTVCT] = "cntvct", [TS_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC"};
    static const char *const sources[] = {[TS_CLOCK_RATE_EXACT] = "exact",       [TS_CLOCK_RATE_PAIRS] = "pairs",
                                          [TS_CLOCK_RATE_STATED] = "stated",     [TS_CLOCK_RATE_NOW] = "pair_of_now",
                                          [TS_CLOCK_RATE_SHORT] = "short_pairs", [TS_CLOCK_RATE_GUESS] = "not_known"};
    begin(writer, "traces", "[");
    for (size_t i = 0; i < session->trace_count; i++) {
        const struct ts_trace *trace = session->traces[i];
        begin(writer, NULL, "\n{");
        text(writer, "path", trace->path);
        number(writer, "bytes", trace->data_bytes);
        number(writer, "most_bytes", trace->header.file_bytes);
        begin(writer, "clock", "{");
        text(writer, "kind", kinds[trace->header.clock_kind]);
        text(writer, "rate_from", sources[trace->clock.source]);
        number(writer, "hz", trace->clock.hz);
        number(writer, "pairs", trace->clock.point_count);
        number(writer, "outliers", trace->clock.outliers);
        number(writer, "worst_residual_ns", trace->clock.worst_residual_ns);
        number(writer, "steps_back", trace->clock_steps_back);
        end(writer, "}");
        write_losses(writer, session, trace);
        end(writer, "}");
    }
    end(writer, "]");
}

static void write_modules(struct writer *writer, const struct ts_patched_modules *modules) {
    begin(writer, "modules", "[");
    for (size_t i = 0; i < modules->count; i++) {
        const struct ts_patched_module *module = &modules->modules[i];
        char build_id[2 * sizeof module->object->build_id + 1] = "";
        for (uint32_t byte = 0; byte < module->object->build_id_bytes; byte++)
            snprintf(build_id + 2 * byte, 3, "%02x", module->object->build_id[byte]);
        begin(writer, NULL, "\n{");
        text(writer, "path", module->object->path);
        if (*build_id)
            text(writer, "build_id", build_id);
        truth(writer, "instrumented", module->is_instrumented);
        if (module->is_told) {
            number(writer, "patched", module->patched);
            number(writer, "left", module->left);
            number(writer, "refused", module->refused);
        }
        if (module->object->problem)
            text(writer, "names_missing", module->object->problem);
        end(writer, "}");
    }
    end(writer, "]");
}

static void write_texts(struct writer *writer, const char *name, char *const *texts, size_t count) {
    begin(writer, name, "[");
    for (size_t i = 0; i < count; i++)
        item(writer, texts[i]);
    end(writer, "]");
}

int ts_info_write_json(struct ts_session *session, FILE *out, struct ts_error *error) {
    struct ts_certificate certificate;
    struct writer writer = {.first = 1};
    ts_certificate_make(&certificate, session);
    ts_json_stream_open(&writer.json, out);
    begin(&writer, NULL, "{");
    truth(&writer, "complete", certificate.missing.count == 0);
    write_texts(&writer, "missing", certificate.missing.texts, certificate.missing.count);
    text(&writer, "session", session->directory);
    write_processes(&writer, &certificate);
    write_totals(&writer, &certificate);
    write_cost(&writer, &certificate);
    write_hooks(&writer, &certificate.hooks);
    write_unseen(&writer, &certificate.unseen);
    write_traces(&writer, session);
    write_modules(&writer, &certificate.modules);
    write_texts(&writer, "warnings", session->warnings, session->warning_count);
    end(&writer, "}\n");
    ts_certificate_free(&certificate);
    return ts_json_stream_close(&writer.json, "the certificate", error);
}
