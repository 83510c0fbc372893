#include "render/chrome_arguments.h"
#include "render/chrome_sink.h"
#include "render/formats.h"
#include "render/session_facts.h"

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
void ts_chrome_begin_part(struct ts_chrome *chrome) {
    chrome->part++;
    chrome->any_event = 0;
    chrome->part_begin = ts_json_stream_written(&chrome->json);
    ts_json_stream_text(&chrome->json, "{\"traceEvents\":[");
    write_processes(chrome);
}

void ts_chrome_open(struct ts_chrome *chrome, const struct ts_session *session, FILE *out) {
    memset(chrome, 0, sizeof *chrome);
    chrome->session = session;
    ts_chrome_flows_make(&chrome->flows, session);
    ts_json_stream_open(&chrome->json, out);
    ts_chrome_begin_part(chrome);
}

static void add_fact(void *context, const struct ts_attribute *fact) {
    ts_chrome_arguments_add(context, fact);
}

/* `"key":{...}`. */
static void write_facts(struct ts_chrome *chrome, const char *key) {
    const struct ts_written written = {.calls = chrome->calls - chrome->inherited,
                                       .inherited = chrome->inherited,
                                       .dropped_deep_calls = chrome->dropped_deep_calls,
                                       .dropped_short = chrome->dropped_short,
                                       .longest_dropped_ns = chrome->longest_dropped_ns,
                                       .outer_unknown = chrome->outer_unknown};
    struct ts_chrome_arguments facts = {.texts = false};
    ts_session_facts_tell(chrome->session, &written, add_fact, &facts);
    ts_json_stream_text(&chrome->json, ",\n\"");
    ts_json_stream_text(&chrome->json, key);
    ts_json_stream_text(&chrome->json, "\":{");
    ts_json_stream_bytes(&chrome->json, facts.json.text, facts.json.used - 1); /* without the comma at its end */
    ts_json_stream_text(&chrome->json, "}");
    ts_chrome_arguments_free(&facts);
}

/* Perfetto shows `metadata`, catapult `otherData`; both stand at the end, when the counts, up to here, are known. */
void ts_chrome_end_part(struct ts_chrome *chrome) {
    if (chrome->any_event) {
        ts_json_stream_text(&chrome->json, "\n]");
        write_facts(chrome, "metadata");
        write_facts(chrome, "otherData");
        ts_json_stream_text(&chrome->json, "}\n");
    } else {
        ts_json_stream_text(&chrome->json, "]}\n");
    }
}

/* The ends of an arrow must lie in one file. */
int ts_chrome_close(struct ts_chrome *chrome, struct ts_error *error) {
    if (chrome->part == 1)
        ts_chrome_flows_write(&chrome->flows, &chrome->json);
    ts_chrome_end_part(chrome);
    ts_chrome_free_sink(chrome);
    int result = ts_json_stream_close(&chrome->json, "the Chrome trace", error);
    if (*chrome->part_error.text) {
        *error = chrome->part_error;
        return -1;
    }
    return result;
}

int ts_format_chrome(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                     struct ts_error *error) {
    struct ts_chrome chrome;
    struct ts_longest longest = {0};

    if (options->max_calls)
        longest = ts_longest_of(session, options->max_calls, TS_CHROME_DEPTH);
    ts_chrome_open(&chrome, session, out);
    chrome.longest = longest;
    chrome.parts = options->parts;
    struct ts_sink sink = ts_chrome_sink(&chrome);
    ts_replay(session, &sink, NULL);
    if (options->cut)
        *options->cut = (struct ts_format_cut){.calls = chrome.calls + chrome.dropped_short + chrome.dropped_deep_calls,
                                               .written = chrome.calls,
                                               .dropped_short = chrome.dropped_short,
                                               .longest_dropped_ns = chrome.longest_dropped_ns};
    return ts_chrome_close(&chrome, error);
}
