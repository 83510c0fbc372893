#include "render/call_paths.h"

#include "render/memory.h"

#include <stdlib.h>

struct walk {
    const struct ts_call_tree *tree;
    ts_call_path_tell *tell;
    void *context;
    uint32_t rows[TS_CALL_PATHS_DEPTH];
    uint64_t *deep;      /* by row: time below the frame at TS_CALL_PATHS_DEPTH - 1; NULL: there was none yet */
    uint32_t *deep_rows; /* where it is not 0 */
    size_t deep_count;
};

uint32_t ts_call_paths_next(const struct ts_call_tree *tree, uint32_t root, uint32_t node, size_t *depth) {
    uint32_t child = tree->nodes[node].first_child;
    if (child != TS_NODE_NONE) {
        ++*depth;
        return child;
    }
    while (node != root) {
        if (tree->nodes[node].next_sibling != TS_NODE_NONE)
            return tree->nodes[node].next_sibling;
        node = tree->nodes[node].parent;
        --*depth;
    }
    return TS_NODE_NONE;
}

static void add_deep(struct walk *walk, uint32_t row, uint64_t self) {
    if (!walk->deep) {
        walk->deep = ts_memory_new(walk->tree->rows.count, sizeof *walk->deep);
        walk->deep_rows = ts_memory_new(walk->tree->rows.count, sizeof *walk->deep_rows);
    }
    if (walk->deep[row] == 0)
        walk->deep_rows[walk->deep_count++] = row;
    walk->deep[row] += self;
}

static void tell_deep(struct walk *walk) {
    for (size_t i = 0; i < walk->deep_count; i++) {
        uint32_t row = walk->deep_rows[i];
        walk->rows[TS_CALL_PATHS_DEPTH - 1] = row;
        walk->tell(walk->context, walk->rows, TS_CALL_PATHS_DEPTH, walk->deep[row], true);
        walk->deep[row] = 0;
    }
    walk->deep_count = 0;
}

void ts_call_paths_walk(const struct ts_call_tree *tree, const struct ts_call_tree_stream *stream,
                        ts_call_path_tell *tell, void *context) {
    struct walk walk = {.tree = tree, .tell = tell, .context = context};
    size_t depth = 0;
    for (uint32_t at = ts_call_paths_next(tree, stream->root, stream->root, &depth); at != TS_NODE_NONE;
         at = ts_call_paths_next(tree, stream->root, at, &depth)) {
        const struct ts_call_node *node = &tree->nodes[at];
        uint64_t self = ts_call_tree_self(tree, node);
        if (depth >= TS_CALL_PATHS_DEPTH) {
            if (self)
                add_deep(&walk, node->row, self);
            continue;
        }
        tell_deep(&walk);
        walk.rows[depth - 1] = node->row;
        if (self)
            tell(context, walk.rows, depth, self, false);
    }
    tell_deep(&walk);
    free(walk.deep);
    free(walk.deep_rows);
}
