#include "render/call_graph.h"

#include "render/call_paths.h"
#include "render/memory.h"

#include <stdlib.h>

struct making {
    struct ts_call_graph *graph;
    const struct ts_call_tree *tree;
    struct ts_hash_index index; /* of graph->calls */
    uint32_t *open;             /* by row: calls of it on the current path */
    uint32_t *path;             /* nodes */
    size_t path_capacity;
};

static struct ts_graph_call *find_call(struct making *making, uint32_t from, uint32_t to) {
    struct ts_call_graph *graph = making->graph;
    uint64_t hash = ts_hash_mix((uint64_t)from << 32 | to);
    size_t at = hash;
    for (uint32_t found; ts_hash_index_next(&making->index, hash, &at, &found);)
        if (graph->calls[found].from == from && graph->calls[found].to == to)
            return &graph->calls[found];
    graph->calls = ts_memory_grow(graph->calls, &graph->call_capacity, graph->call_count + 1, sizeof *graph->calls);
    ts_hash_index_add(&making->index, hash, (uint32_t)graph->call_count);
    graph->calls[graph->call_count] = (struct ts_graph_call){.from = from, .to = to};
    return &graph->calls[graph->call_count++];
}

static void add_node(struct making *making, const struct ts_call_node *node) {
    struct ts_graph_function *function = &making->graph->functions[node->row];
    uint32_t from = making->tree->nodes[node->parent].row;
    struct ts_graph_call *call = find_call(making, from, node->row);
    bool outermost = making->open[node->row] == 0;

    call->calls += node->calls;
    call->total += outermost ? node->total : 0;
    function->calls += node->calls;
    making->graph->made_calls += node->calls;
    function->errors += node->errors;
    function->is_call |= node->calls || node->inherited || !node->frames;
    function->self += ts_call_tree_self(making->tree, node);
    function->total += outermost ? node->total : 0;
    if (from == TS_ROW_NONE)
        making->graph->total += node->total;
}

static void add_stream(struct making *making, uint32_t root) {
    const struct ts_call_tree *tree = making->tree;
    size_t depth = 0, open = 0;
    for (uint32_t at = ts_call_paths_next(tree, root, root, &depth); at != TS_NODE_NONE;
         at = ts_call_paths_next(tree, root, at, &depth)) {
        while (open >= depth)
            making->open[tree->nodes[making->path[--open]].row]--;
        add_node(making, &tree->nodes[at]);
        making->path = ts_memory_grow(making->path, &making->path_capacity, depth, sizeof *making->path);
        making->path[open++] = at;
        making->open[tree->nodes[at].row]++;
    }
    while (open > 0)
        making->open[tree->nodes[making->path[--open]].row]--;
}

static int compare_calls(const void *left_pointer, const void *right_pointer) {
    const struct ts_graph_call *left = left_pointer, *right = right_pointer;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return (left->to > right->to) - (left->to < right->to);
}

void ts_call_graph_make(struct ts_call_graph *graph, const struct ts_call_tree *tree) {
    struct making making = {.graph = graph, .tree = tree};
    *graph = (struct ts_call_graph){.functions = ts_memory_new(tree->rows.count, sizeof *graph->functions)};
    making.open = ts_memory_new(tree->rows.count, sizeof *making.open);
    for (size_t i = 0; i < tree->stream_count; i++)
        add_stream(&making, tree->streams[i]->root);
    if (graph->call_count)
        qsort(graph->calls, graph->call_count, sizeof *graph->calls, compare_calls);
    ts_hash_index_free(&making.index);
    free(making.open);
    free(making.path);
}

void ts_call_graph_free(struct ts_call_graph *graph) {
    free(graph->functions);
    free(graph->calls);
    *graph = (struct ts_call_graph){0};
}

struct ts_function **ts_call_graph_sources(const struct ts_function_rows *rows, struct ts_functions *functions) {
    struct ts_function **sources = ts_memory_new(rows->count, sizeof *sources);
    for (size_t id = 0; id < rows->of_function_count; id++) {
        uint32_t row = rows->of_function[id];
        if (row == TS_ROW_NONE)
            continue;
        struct ts_function *function = ts_functions_at(functions, (uint32_t)id);
        if (!sources[row] || (!sources[row]->file && ts_function_source(function) == 0))
            sources[row] = function;
        ts_function_source(sources[row]);
    }
    return sources;
}
