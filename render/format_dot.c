/* The call graph for Graphviz: functions with their times, calls with their numbers. `dot -Tsvg` draws it. */
#include "render/call_graph.h"
#include "render/duration_text.h"
#include "render/formats.h"
#include "render/frame_names.h"
#include "render/memory.h"
#include "render/written.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More nobody reads, and dot takes minutes. */
enum { FUNCTIONS_MOST = 250 };

struct dot {
    FILE *out;
    const struct ts_call_tree *tree;
    struct ts_call_graph graph;
    char **names;
    bool *shown; /* by row */
};

/* In double quotes a backslash begins an escape. */
#define NOT_IN_STRINGS "\"'\\/"

/* dot reads no text of more than 16 KiB, and nobody one of more than this. */
#define TEXT_MOST 400

static char *cut(char *text) {
    static const char more[] = "...";
    size_t at = TEXT_MOST - strlen(more);
    if (strlen(text) <= TEXT_MOST)
        return text;
    while (((unsigned char)text[at] & 0xc0) == 0x80) /* not inside a character */
        at--;
    memcpy(text + at, more, sizeof more);
    return text;
}

static int compare_totals(const void *left_pointer, const void *right_pointer, void *context) {
    const struct ts_graph_function *functions = context;
    uint32_t left = *(const uint32_t *)left_pointer, right = *(const uint32_t *)right_pointer;
    if (functions[left].total != functions[right].total)
        return functions[left].total > functions[right].total ? -1 : 1;
    return (left > right) - (left < right);
}

/* Those with the largest totals. Returns how many are left out. */
static size_t choose_functions(struct dot *dot) {
    size_t count = dot->tree->rows.count, shown = count < FUNCTIONS_MOST ? count : FUNCTIONS_MOST;
    uint32_t *rows = ts_memory_new(count, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = (uint32_t)i;
    qsort_r(rows, count, sizeof *rows, compare_totals, dot->graph.functions);
    for (size_t i = 0; i < shown; i++)
        dot->shown[rows[i]] = true;
    free(rows);
    return count - shown;
}

/* Redder, the more of the time is spent in the function itself. */
static void write_function(const struct dot *dot, uint32_t row) {
    const struct ts_graph_function *function = &dot->graph.functions[row];
    double part = dot->graph.total ? (double)function->self / (double)dot->graph.total : 0;
    char *scope = cut(ts_frame_name(dot->tree->rows.rows[row].scope, NOT_IN_STRINGS));
    fprintf(dot->out, "    f%" PRIu32 " [label=\"%s\\n{%s}\\ntotal %s\\n", row, dot->names[row], scope,
            ts_duration_text(function->total).text);
    if (function->is_call)
        fprintf(dot->out, "self %s, %.1f %%\\n%" PRIu64 " calls", ts_duration_text(function->self).text, part * 100,
                function->calls);
    else
        fputs("(from stack)", dot->out);
    if (function->errors)
        fprintf(dot->out, "\\n%" PRIu64 " errors", function->errors);
    fprintf(dot->out, "\", fillcolor=\"0.04 %.3f 1.0\"];\n", part < 1 ? part : 1.0);
    free(scope);
}

static void write_call(const struct dot *dot, const struct ts_graph_call *call) {
    double part = dot->graph.total ? (double)call->total / (double)dot->graph.total : 0;
    fprintf(dot->out, "    f%" PRIu32 " -> f%" PRIu32 " [label=\"", call->from, call->to);
    if (dot->graph.functions[call->to].is_call)
        fprintf(dot->out, "%" PRIu64 "\\n", call->calls);
    fprintf(dot->out, "%s\", penwidth=%.2f];\n", ts_duration_text(call->total).text, 1 + 4 * (part < 1 ? part : 1.0));
}

static void write_graph(const struct dot *dot, const struct ts_session *session, size_t left_out) {
    FILE *out = dot->out;
    const char *program = session->process_count ? session->processes[0]->command : "no spans";
    char *command = cut(ts_frame_name(program, NOT_IN_STRINGS));
    fprintf(out, "digraph calls {\n    graph [label=\"%s\\n%" PRIu64 " calls", command, dot->graph.made_calls);
    if (left_out)
        fprintf(out, "\\n%zu functions with less time are left out", left_out);
    fputs("\", labelloc=t, fontname=\"Helvetica\"];\n"
          "    node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\"];\n"
          "    edge [fontname=\"Helvetica\"];\n",
          out);
    for (uint32_t row = 0; row < dot->tree->rows.count; row++)
        if (dot->shown[row])
            write_function(dot, row);
    for (size_t i = 0; i < dot->graph.call_count; i++) {
        const struct ts_graph_call *call = &dot->graph.calls[i];
        if (call->from != TS_ROW_NONE && dot->shown[call->from] && dot->shown[call->to])
            write_call(dot, call);
    }
    fputs("}\n", out);
    free(command);
}

int ts_format_dot(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                  struct ts_error *error) {
    struct ts_call_tree tree = {0};
    struct ts_sink sink = ts_call_tree_sink(&tree);
    struct dot dot = {.out = out, .tree = &tree};
    (void)options;
    ts_replay(session, &sink, NULL);
    ts_call_graph_make(&dot.graph, &tree);
    dot.names = ts_frame_names(&tree.rows, NOT_IN_STRINGS);
    for (size_t i = 0; i < tree.rows.count; i++)
        cut(dot.names[i]);
    dot.shown = ts_memory_new(tree.rows.count, sizeof *dot.shown);
    size_t left_out = choose_functions(&dot);
    write_graph(&dot, session, left_out);
    ts_frame_names_free(dot.names, &tree.rows);
    free(dot.shown);
    ts_call_graph_free(&dot.graph);
    ts_call_tree_free(&tree);
    return ts_written_all(out, "the graph", error);
}
