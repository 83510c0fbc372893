/*
 * Lines of an OTLP JSON file: each is one TracesData object, with spans of one process, grouped by their scope. Spans
 * are gathered until a line has enough of them: memory is bound by one line, and a reader may take line by line.
 */
#ifndef TRACESHIM_RENDER_OTLP_LINES_H
#define TRACESHIM_RENDER_OTLP_LINES_H

#include "render/hash_index.h"
#include "render/json_stream.h"
#include "render/json_text.h"
#include "render/session.h"

/* A line ends when it has so many spans, or bytes of them: far below what receivers take in one request (64 MiB). */
#define TS_OTLP_LINE_SPANS 1024
#define TS_OTLP_LINE_BYTES ((size_t)512 * 1024)

struct ts_otlp_lines {
    struct ts_json_stream json;
    struct ts_otlp_scope *scopes;
    size_t scope_count;
    size_t scope_capacity;
    struct ts_hash_index scopes_by_name;
    uint64_t seed;
    uint32_t *used; /* scopes that have spans in this line */
    size_t used_count;
    size_t used_capacity;
    size_t spans;              /* in this line */
    size_t bytes;              /* of them */
    struct ts_json_text *open; /* has the span that is being added */
    const struct ts_process *process;
    struct ts_json_text resource; /* of that process */
};

void ts_otlp_lines_open(struct ts_otlp_lines *lines, FILE *out);
/* Writes the rest. 0, or -1 and the error when something could not be written. */
int ts_otlp_lines_close(struct ts_otlp_lines *lines, struct ts_error *error);

/* The number of the scope of this name. */
uint32_t ts_otlp_lines_scope(struct ts_otlp_lines *lines, const char *name);

/* A span of this process and scope: the caller adds its object to the text, then ends it. */
struct ts_json_text *ts_otlp_lines_begin_span(struct ts_otlp_lines *lines, const struct ts_process *process,
                                              uint32_t scope);
void ts_otlp_lines_end_span(struct ts_otlp_lines *lines);

/*
 * A line without spans, after all spans: what is known of the whole, as attributes (a list's inside) of our own scope.
 * `process` is the one that the line is said to come from.
 */
void ts_otlp_lines_add_facts(struct ts_otlp_lines *lines, const struct ts_process *process,
                             const struct ts_json_text *attributes);

#endif
