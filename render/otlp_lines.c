#include "render/otlp_lines.h"

#include "render/otlp_resource.h"

#include <stdlib.h>

struct ts_otlp_scope {
    char *name;
    struct ts_json_text spans; /* of the line, with commas between them */
};

void ts_otlp_lines_open(struct ts_otlp_lines *lines, FILE *out) {
    *lines = (struct ts_otlp_lines){.seed = ts_hash_seed()};
    ts_json_stream_open(&lines->json, out);
}

uint32_t ts_otlp_lines_scope(struct ts_otlp_lines *lines, const char *name) {
    uint64_t hash = ts_hash_mix_bytes(lines->seed, name, strlen(name));
    size_t at = hash;
    uint32_t number;
    while (ts_hash_index_next(&lines->scopes_by_name, hash, &at, &number))
        if (!strcmp(lines->scopes[number].name, name))
            return number;
    number = (uint32_t)lines->scope_count++;
    lines->scopes = ts_memory_grow(lines->scopes, &lines->scope_capacity, lines->scope_count, sizeof *lines->scopes);
    lines->scopes[number] = (struct ts_otlp_scope){.name = ts_memory_copy(name, strlen(name))};
    ts_hash_index_add(&lines->scopes_by_name, hash, number);
    return number;
}

static void begin_line(struct ts_otlp_lines *lines) {
    ts_json_stream_text(&lines->json, "{\"resourceSpans\":[{\"resource\":");
    ts_json_stream_bytes(&lines->json, lines->resource.text, lines->resource.used);
    ts_json_stream_text(&lines->json, ",\"scopeSpans\":[");
}

static void end_line(struct ts_otlp_lines *lines) {
    ts_json_stream_text(&lines->json, "]}]}\n");
}

static void flush_spans(struct ts_otlp_lines *lines) {
    if (!lines->spans)
        return;
    begin_line(lines);
    for (size_t i = 0; i < lines->used_count; i++) {
        struct ts_otlp_scope *scope = &lines->scopes[lines->used[i]];
        ts_json_stream_text(&lines->json, i ? ",{\"scope\":{\"name\":" : "{\"scope\":{\"name\":");
        ts_json_stream_string(&lines->json, scope->name);
        ts_json_stream_text(&lines->json, "},\"spans\":[");
        ts_json_stream_bytes(&lines->json, scope->spans.text, scope->spans.used);
        ts_json_stream_text(&lines->json, "]}");
        /* One text keeps its memory; a thousand modules would keep a thousand times a line's. */
        if (scope->spans.capacity > TS_OTLP_LINE_BYTES / 16 && lines->scope_count > 16)
            ts_json_text_free(&scope->spans);
        scope->spans.used = 0;
    }
    end_line(lines);
    lines->used_count = lines->spans = lines->bytes = 0;
}

static void set_process(struct ts_otlp_lines *lines, const struct ts_process *process) {
    if (process == lines->process)
        return;
    flush_spans(lines);
    lines->process = process;
    lines->resource.used = 0;
    ts_otlp_resource_write(process, &lines->resource);
}

struct ts_json_text *ts_otlp_lines_begin_span(struct ts_otlp_lines *lines, const struct ts_process *process,
                                              uint32_t scope) {
    set_process(lines, process);
    struct ts_json_text *spans = &lines->scopes[scope].spans;
    lines->open = spans;
    lines->bytes -= spans->used; /* until the span's end */
    if (spans->used == 0) {
        lines->used = ts_memory_grow(lines->used, &lines->used_capacity, lines->used_count + 1, sizeof *lines->used);
        lines->used[lines->used_count++] = scope;
    } else {
        ts_json_text_put(spans, ",");
    }
    return spans;
}

void ts_otlp_lines_end_span(struct ts_otlp_lines *lines) {
    lines->bytes += lines->open->used;
    if (++lines->spans >= TS_OTLP_LINE_SPANS || lines->bytes >= TS_OTLP_LINE_BYTES)
        flush_spans(lines);
}

void ts_otlp_lines_add_facts(struct ts_otlp_lines *lines, const struct ts_process *process,
                             const struct ts_json_text *attributes) {
    flush_spans(lines);
    set_process(lines, process);
    begin_line(lines);
    ts_json_stream_text(&lines->json, "{\"scope\":{\"name\":\"traceshim\",\"version\":");
    ts_json_stream_string(&lines->json, TRACESHIM_VERSION);
    ts_json_stream_text(&lines->json, ",\"attributes\":[");
    ts_json_stream_bytes(&lines->json, attributes->text, attributes->used);
    ts_json_stream_text(&lines->json, "]},\"spans\":[]}");
    end_line(lines);
}

int ts_otlp_lines_close(struct ts_otlp_lines *lines, struct ts_error *error) {
    flush_spans(lines);
    for (size_t i = 0; i < lines->scope_count; i++) {
        free(lines->scopes[i].name);
        ts_json_text_free(&lines->scopes[i].spans);
    }
    free(lines->scopes);
    free(lines->used);
    ts_hash_index_free(&lines->scopes_by_name);
    ts_json_text_free(&lines->resource);
    return ts_json_stream_close(&lines->json, "the OTLP lines", error);
}
