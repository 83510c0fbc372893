/* Who calls whom: a merged call tree added up by caller and callee, for formats that know no paths. */
#ifndef TRACESHIM_RENDER_CALL_GRAPH_H
#define TRACESHIM_RENDER_CALL_GRAPH_H

#include "render/call_tree.h"
#include "render/hash_index.h"

/* Times in ns. */
struct ts_graph_function {
    uint64_t calls; /* without inherited ones */
    uint64_t self;
    uint64_t total; /* of nested calls only the outermost counts */
    uint64_t errors;
    bool is_call; /* of a recorded call; else it is known from the stacks of calls in it alone */
};

struct ts_graph_call {
    uint32_t from; /* row; TS_ROW_NONE: a stream's outermost call */
    uint32_t to;
    uint64_t calls;
    uint64_t total; /* as of the function: calls inside another of the same function add nothing */
};

struct ts_call_graph {
    struct ts_graph_function *functions; /* by row, tree.rows.count of them */
    struct ts_graph_call *calls;         /* by caller, then by callee; the outermost last */
    size_t call_count;
    size_t call_capacity;
    uint64_t total;      /* of all streams' outermost calls */
    uint64_t made_calls; /* of all functions */
};

void ts_call_graph_make(struct ts_call_graph *graph, const struct ts_call_tree *tree);
void ts_call_graph_free(struct ts_call_graph *graph);

/* By row: one of its functions, which knows the source. The caller frees the array. */
struct ts_function **ts_call_graph_sources(const struct ts_function_rows *rows, struct ts_functions *functions);

#endif
