/*
 * How often each source line of a function was executed, as gcov counts: a line whose blocks form a piece of the flow
 * is executed as often as that piece is entered, plus once for each round inside it. gcc's gcov takes a block for the
 * line that it ends on and, for lines that no block ends on, adds up the blocks; LLVM's takes it for all its lines.
 */
#ifndef TRACESHIM_RENDER_LINE_COUNT_H
#define TRACESHIM_RENDER_LINE_COUNT_H

#include "render/code_flow.h"
#include "render/symbols.h"

struct ts_line_count {
    const char *file;
    uint32_t line;
    uint64_t count;
};

/*
 * A conditional jump: how often it was not taken, and taken. Not all code tells: where a compiler leaves two ways into
 * one block without a block of their own, gcc's optimiser does, blocks do not say which was gone.
 */
struct ts_line_branch {
    const char *file;
    uint32_t line;
    uint32_t column;
    uint64_t address;
    uint64_t counts[2];
    bool known; /* the counts are */
    bool reached;
};

struct ts_line_counts {
    struct ts_line_count *lines; /* each line of the function once */
    size_t count;
    size_t capacity;
    struct ts_line_branch *branches; /* by address */
    size_t branch_count;
    size_t branch_capacity;
    /* workspace */
    struct ts_line_placing *placings;
    size_t placing_capacity;
};

/*
 * `flow` is solved; `rows` those of the function. `declared`: where the function is, NULL: not known; its first lines
 * count there for clang, which tells the line of the brace.
 */
void ts_line_counts_find(struct ts_line_counts *counts, struct ts_code_flow *flow, const struct ts_source_rows *rows,
                         const struct ts_source *declared);
void ts_line_counts_free(struct ts_line_counts *counts);

#endif
