/*
 * The two views of the text tree: every call (span_list.h), or one row per path (call_tree.h). Both stand below the
 * same lines for processes and threads, which appear where there are several.
 */
#ifndef TRACESHIM_RENDER_TREE_VIEWS_H
#define TRACESHIM_RENDER_TREE_VIEWS_H

#include "render/call_tree.h"
#include "render/formats.h"
#include "render/span_list.h"
#include "render/tree_text.h"

#define TS_TREE_CALLS_MOST 200 /* spans of a session that the calls view shows by default; merged above */

/* A stream's calls, as either view has them. */
struct ts_tree_root {
    const struct ts_stream *stream;
    uint64_t outer_unknown;
    bool empty;  /* has nothing to show */
    bool folded; /* is too short to be shown (tree_text.h, least_ns) */
};

/*
 * Writes the lines of a root's calls below `depth` levels of process and thread lines; the last of those lasted
 * `parent_ns`, 0 where there is none.
 */
typedef void ts_tree_write_calls(const void *view, size_t root, struct ts_tree_text *text, unsigned depth,
                                 uint64_t parent_ns);

/*
 * Lines for the processes and threads of `roots` (those of a process side by side), each with its calls. With one root
 * there is no such line, unless the process is a rank of an MPI job or the root has unknown outer calls.
 */
void ts_tree_write_roots(const struct ts_tree_root *roots, size_t count, ts_tree_write_calls *write_calls,
                         const void *view, struct ts_tree_text *text);

/* The whole tree, of what a replay into the list's or the tree's sink collected. The call tree gets sorted. */
void ts_tree_write_calls_view(const struct ts_span_list *list, struct ts_tree_text *text);
void ts_tree_write_merged_view(struct ts_call_tree *tree, struct ts_tree_text *text);
/*
 * The merged view in at most `max_lines` lines: those of the longest paths, threads and processes, and nothing below
 * `least_ns`.
 */
void ts_tree_write_longest_paths(struct ts_call_tree *tree, uint64_t least_ns, uint64_t max_lines,
                                 struct ts_tree_text *text);

/* What the line of a single call tells besides the call. */
struct ts_tree_places {
    uint64_t begin_ns; /* `start=` counts from here */
    bool several_threads;
};

/* A call of the list as a root. */
void ts_tree_write_single(const struct ts_span_list *list, const struct ts_span *span, const struct ts_stream *stream,
                          const struct ts_tree_places *places, bool last, struct ts_tree_text *text);

#endif
