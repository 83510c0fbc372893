/*
 * The distinct paths of a merged call tree with the time spent at their ends: what flame graphs are made of. A path is
 * cut at TS_CALL_PATHS_DEPTH frames, as the number of its frames is squared in the output: what lies deeper is added up
 * by function, as if called by the last frame before it.
 */
#ifndef TRACESHIM_RENDER_CALL_PATHS_H
#define TRACESHIM_RENDER_CALL_PATHS_H

#include "render/call_tree.h"

#define TS_CALL_PATHS_DEPTH 512

/* `rows`: of the path, outermost first, `depth` of them; `self`: ns, not 0; `is_cut`: stands for several paths. */
typedef void ts_call_path_tell(void *context, const uint32_t *rows, size_t depth, uint64_t self, bool is_cut);

/* Every path of a stream whose end took time, callers before what they call. */
void ts_call_paths_walk(const struct ts_call_tree *tree, const struct ts_call_tree_stream *stream,
                        ts_call_path_tell *tell, void *context);

/* The next node of the subtree below `root` in this order; *depth, of the node, follows. TS_NODE_NONE: no more. */
uint32_t ts_call_paths_next(const struct ts_call_tree *tree, uint32_t root, uint32_t node, size_t *depth);

#endif
