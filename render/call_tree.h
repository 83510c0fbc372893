/*
 * The merged call tree: one node per distinct path of function rows (function_rows.h), a root per stream. Memory is
 * bound by distinct paths and open calls, whatever the number of calls; a call costs a few nanoseconds.
 */
#ifndef TRACESHIM_RENDER_CALL_TREE_H
#define TRACESHIM_RENDER_CALL_TREE_H

#include "render/call_places.h"
#include "render/function_rows.h"
#include "render/replay.h"
#include "render/tree_programs.h"

#include <assert.h>

#define TS_NODE_NONE UINT32_MAX

/* What every call needs comes first, in one cache line. Times in ns. */
struct ts_call_node {
    uint32_t row;          /* of call_tree.rows; TS_ROW_NONE: a stream's root */
    uint32_t latest_child; /* found last */
    uint64_t calls;        /* without inherited ones (TS_ENTER_INHERITED) */
    uint64_t total;        /* of all, with what they call; of a frame, of the calls in it */
    uint64_t durations;    /* of the calls counted */
    uint64_t maximum;      /* of the calls counted */
    uint64_t minimum;      /* of the calls counted; 0 where there is none */
    uint32_t parent;
    uint32_t first_child;
    uint32_t next_sibling;
    uint32_t child_count;
    uint64_t unfinished;
    uint64_t unwound;
    uint32_t inherited;
    uint32_t errors; /* calls that failed, or were left by an exception */
    uint32_t frames; /* so many times it was no call, but known from the stack of calls in it */
    uint32_t place;  /* of call_tree.places: where one of its calls was made; 0: not known, or not asked for */
};
static_assert(sizeof(struct ts_call_node) <= 96, "a node is made for every path: keep it small");

struct ts_call_tree_stream {
    struct ts_stream *stream;
    uint32_t root;
    uint32_t node; /* of the innermost open call, or the root */
    uint64_t outer_unknown;
    struct ts_call_tree_frame *frames;
    size_t depth;
    size_t capacity;
};

struct ts_call_tree {
    struct ts_function_rows rows;
    struct ts_call_node *nodes;
    size_t node_count;
    size_t node_capacity;
    uint32_t *table; /* children of nodes with many: open addressing by (parent, row); table_size is a power of two */
    size_t table_size;
    size_t table_count;
    struct ts_call_tree_stream **streams; /* in order of their first event */
    size_t stream_count;
    size_t stream_capacity;
    struct ts_call_tree_stream *current;
    bool by_program;        /* set before the replay: processes of one program share a root */
    struct ts_sites *sites; /* the session's, set before the sink is made: places are counted; NULL: they are not */
    struct ts_call_places places;
    struct ts_tree_programs programs;
};

/* `tree` starts as all zero but for by_program and sites. The sink uses ts_stream.user. */
struct ts_sink ts_call_tree_sink(struct ts_call_tree *tree);
void ts_call_tree_free(struct ts_call_tree *tree);

/* Puts children in order of total, descending, then name and scope. */
void ts_call_tree_sort(struct ts_call_tree *tree);

/* Time in the node's function itself: its total less its children's. */
uint64_t ts_call_tree_self(const struct ts_call_tree *tree, const struct ts_call_node *node);

#endif
