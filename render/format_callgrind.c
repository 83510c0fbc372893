/*
 * The format of valgrind's callgrind: each function's own time, and its calls with the time inside them. Read by
 * callgrind_annotate and KCachegrind. Of nested calls of one function only the outermost has time, as in `report`.
 */
#include "render/call_graph.h"
#include "render/formats.h"
#include "render/frame_names.h"
#include "render/memory.h"
#include "render/session_facts.h"
#include "render/written.h"

#include <inttypes.h>
#include <stdlib.h>

struct callgrind {
    FILE *out;
    const struct ts_call_tree *tree;
    struct ts_call_graph graph;
    struct ts_function **sources; /* by row */
    char **names;
    bool *named; /* by row: its name was written */
};

static void write_fact(void *context, const struct ts_attribute *fact) {
    const struct callgrind *callgrind = context;
    fputs("# ", callgrind->out);
    ts_attribute_write_text(fact, callgrind->out);
    fputc('\n', callgrind->out);
}

static void write_header(struct ts_session *session, const struct callgrind *callgrind) {
    FILE *out = callgrind->out;
    const struct ts_written written = {.calls = callgrind->graph.made_calls};
    fputs("# callgrind format\nversion: 1\ncreator: traceshim " TRACESHIM_VERSION "\n", out);
    ts_session_facts_tell(session, &written, write_fact, (void *)callgrind);
    if (session->process_count) {
        char *command = ts_frame_name(session->processes[0]->command, "");
        fprintf(out, "pid: %" PRIu32 "\ncmd: %s\n", session->processes[0]->pid, command);
        free(command);
    }
    fprintf(out, "positions: line\nevent: ns : Nanoseconds\nevents: ns\nsummary: %" PRIu64 "\n\n",
            callgrind->graph.total);
}

/* Names are written once and then known by number: `fn=(7) main`, `fn=(7)`. */
static void write_name(struct callgrind *callgrind, const char *prefix, uint32_t row) {
    const struct ts_function *source = callgrind->sources[row];
    FILE *out = callgrind->out;
    char *scope = ts_frame_name(callgrind->tree->rows.rows[row].scope, "");
    char *file = ts_frame_name(source && source->file ? source->file : "???", "");
    fprintf(out, "%sob=%s\n%s=%s\n%sfn=(%" PRIu32 ")", prefix, scope, *prefix ? "cfi" : "fl", file, prefix, row + 1);
    if (!callgrind->named[row])
        fprintf(out, " %s", callgrind->names[row]);
    fputc('\n', out);
    callgrind->named[row] = true;
    free(scope);
    free(file);
}

static uint32_t line_of(const struct callgrind *callgrind, uint32_t row) {
    return callgrind->sources[row] ? callgrind->sources[row]->line : 0;
}

/* From `call` on. */
static size_t calls_left(const struct callgrind *callgrind, const struct ts_graph_call *call) {
    return callgrind->graph.call_count - (size_t)(call - callgrind->graph.calls);
}

/* Those that `from` made, from `call` on, on its line; returns the first of the next caller. */
static const struct ts_graph_call *write_calls(struct callgrind *callgrind, const struct ts_graph_call *call,
                                               uint32_t from, uint32_t line) {
    for (; calls_left(callgrind, call) && call->from == from; call++) {
        write_name(callgrind, "c", call->to);
        fprintf(callgrind->out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 "\n", call->calls,
                line_of(callgrind, call->to), line, call->total);
    }
    return call;
}

/* The outermost calls are made by a function that stands for what is not recorded. */
static void write_functions(struct callgrind *callgrind) {
    const struct ts_graph_call *call = callgrind->graph.calls;
    for (uint32_t row = 0; row < callgrind->tree->rows.count; row++) {
        uint32_t line = line_of(callgrind, row);
        write_name(callgrind, "", row);
        fprintf(callgrind->out, "%" PRIu32 " %" PRIu64 "\n", line, callgrind->graph.functions[row].self);
        call = write_calls(callgrind, call, row, line);
        fputc('\n', callgrind->out);
    }
    fprintf(callgrind->out, "ob=???\nfl=???\nfn=(%zu) (outside)\n0 0\n", callgrind->tree->rows.count + 1);
    write_calls(callgrind, call, TS_ROW_NONE, 0);
}

int ts_format_callgrind(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                        struct ts_error *error) {
    struct ts_call_tree tree = {0};
    struct ts_sink sink = ts_call_tree_sink(&tree);
    struct callgrind callgrind = {.out = out, .tree = &tree};
    (void)options;
    ts_replay(session, &sink, NULL);
    ts_call_graph_make(&callgrind.graph, &tree);
    callgrind.sources = ts_call_graph_sources(&tree.rows, session->functions);
    callgrind.names = ts_frame_names(&tree.rows, "");
    callgrind.named = ts_memory_new(tree.rows.count, sizeof *callgrind.named);
    write_header(session, &callgrind);
    write_functions(&callgrind);
    fprintf(out, "totals: %" PRIu64 "\n", callgrind.graph.total);
    ts_frame_names_free(callgrind.names, &tree.rows);
    free(callgrind.named);
    free(callgrind.sources);
    ts_call_graph_free(&callgrind.graph);
    ts_call_tree_free(&tree);
    return ts_written_all(out, "the callgrind file", error);
}
