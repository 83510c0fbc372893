#include "render/chrome_sink.h"
#include "render/formats.h"
#include "render/trace_facts.h"

#include <string.h>

/*
 * One name per pid is all that viewers know: where a pid comes twice (exec, or reuse), the later process names it.
 * Viewers put "Process 1" where process_name is missing, so every process has one, with calls or without.
 */
static void write_processes(struct ts_chrome *chrome) {
    for (size_t i = 0; i < chrome->session->process_count; i++) {
        const struct ts_process *process = chrome->session->processes[i];

        ts_chrome_begin_metadata(chrome, "process_name", process->pid, process->pid, "name");
        ts_json_stream_string(&chrome->json, *process->name ? process->name : "?");
        ts_json_stream_text(&chrome->json, "}}");
        ts_chrome_begin_metadata(chrome, "process_sort_index", process->pid, process->pid, "sort_index");
        ts_json_stream_unsigned(&chrome->json, i);
        ts_json_stream_text(&chrome->json, "}}");
    }
}

/* Perfetto finds a format by a file's first bytes: `{"` it takes for this one. */
void ts_chrome_open(struct ts_chrome *chrome, const struct ts_session *session, FILE *out) {
    memset(chrome, 0, sizeof *chrome);
    chrome->session = session;
    ts_json_stream_open(&chrome->json, out);
    ts_json_stream_text(&chrome->json, "{\"traceEvents\":[");
    write_processes(chrome);
}

static void write_text_fact(struct ts_json_stream *json, const char *key, const char *value) {
    ts_json_stream_text(json, ",\"");
    ts_json_stream_text(json, key);
    ts_json_stream_text(json, "\":");
    ts_json_stream_string(json, value);
}

static void write_count_fact(struct ts_json_stream *json, const char *key, uint64_t value) {
    ts_json_stream_text(json, ",\"");
    ts_json_stream_text(json, key);
    ts_json_stream_text(json, "\":");
    ts_json_stream_unsigned(json, value);
}

/* The host's name as the process recorded it; NULL: not known. */
static const char *host_of(const struct ts_process *process) {
    const struct ts_facts *facts = process->trace ? process->trace->facts : NULL;
    const struct ts_process_facts *own = facts ? ts_facts_process(facts, process->number) : NULL;
    const struct ts_metadata *host = own ? ts_facts_metadata(facts, own, TS_METADATA_HOST) : NULL;
    return host ? host->value : NULL;
}

/* `"key":{...}`. Integers that a double cannot hold are strings. */
static void write_facts(struct ts_chrome *chrome, const char *key) {
    struct ts_json_stream *json = &chrome->json;
    const struct ts_totals *totals = &chrome->session->totals;

    ts_json_stream_text(json, ",\n\"");
    ts_json_stream_text(json, key);
    ts_json_stream_text(json, "\":{\"tool\":\"traceshim\"");
    write_text_fact(json, "version", TRACESHIM_VERSION);
    if (chrome->session->process_count > 0) {
        const struct ts_process *first = chrome->session->processes[0];
        write_text_fact(json, "command", first->command);
        const char *host = host_of(first);
        if (host)
            write_text_fact(json, "host", host);
        write_text_fact(json, "clock", "CLOCK_MONOTONIC");
        ts_json_stream_text(json, ",\"realtime_offset_ns\":\"");
        ts_json_stream_signed(json, first->realtime_offset_ns);
        ts_json_stream_text(json, "\"");
    }
    write_count_fact(json, "calls", chrome->calls);
    write_count_fact(json, "dropped_deep_calls", chrome->dropped_deep_calls);
    write_count_fact(json, "dropped_short_calls", chrome->dropped_short);
    write_count_fact(json, "dropped_shorter_than_ns", chrome->dropped_short ? chrome->longest_dropped_ns + 1 : 0);
    write_count_fact(json, "unknown_outer_calls", chrome->outer_unknown);
    write_count_fact(json, "dropped_calls", totals->dropped_calls);
    write_count_fact(json, "lost_events", totals->lost_events);
    ts_json_stream_text(json, "}");
}

/* Perfetto shows `metadata`, catapult `otherData`; both stand at the end, when the counts are known. */
int ts_chrome_close(struct ts_chrome *chrome, struct ts_error *error) {
    if (chrome->any_event) {
        ts_json_stream_text(&chrome->json, "\n]");
        write_facts(chrome, "metadata");
        write_facts(chrome, "otherData");
        ts_json_stream_text(&chrome->json, "}\n");
    } else {
        ts_json_stream_text(&chrome->json, "]}\n");
    }
    ts_chrome_free_sink(chrome);
    return ts_json_stream_close(&chrome->json, "the Chrome trace", error);
}

int ts_format_chrome(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                     struct ts_error *error) {
    struct ts_chrome chrome;
    struct ts_longest longest = {0};

    if (options->max_calls)
        longest = ts_longest_of(session, options->max_calls, TS_CHROME_DEPTH);
    ts_chrome_open(&chrome, session, out);
    chrome.longest = longest;
    struct ts_sink sink = ts_chrome_sink(&chrome);
    ts_replay(session, &sink, NULL);
    if (options->cut)
        *options->cut = (struct ts_format_cut){.calls = chrome.calls + chrome.dropped_short + chrome.dropped_deep_calls,
                                               .written = chrome.calls,
                                               .dropped_short = chrome.dropped_short,
                                               .longest_dropped_ns = chrome.longest_dropped_ns};
    return ts_chrome_close(&chrome, error);
}
