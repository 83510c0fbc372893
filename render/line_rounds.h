/* A piece of a function's flow, the blocks of one line: how often it is entered, and how many rounds go inside it. */
#ifndef TRACESHIM_RENDER_LINE_ROUNDS_H
#define TRACESHIM_RENDER_LINE_ROUNDS_H

#include "render/code_flow.h"

struct ts_line_rounds {
    const struct ts_code_flow *flow;
    uint32_t *blocks;
    size_t count;
    size_t capacity;
    uint32_t *stamp;     /* by block: number of the piece that it was last in */
    uint32_t *state;     /* by block, within a search */
    uint64_t *left;      /* by arc: of its count, what no round has used yet */
    uint32_t *next;      /* by block, within a search: the arc to go on with */
    uint32_t *path;      /* arcs of the search, outermost first */
    uint32_t tables[16]; /* blocks that end with a jump through a table, the first of them */
    size_t table_count;
    uint32_t now; /* number of this piece */
};

void ts_line_rounds_open(struct ts_line_rounds *rounds, const struct ts_code_flow *flow);
void ts_line_rounds_close(struct ts_line_rounds *rounds);

/* Another piece. */
void ts_line_rounds_begin(struct ts_line_rounds *rounds);
void ts_line_rounds_add(struct ts_line_rounds *rounds, uint32_t block);
uint64_t ts_line_rounds_count(struct ts_line_rounds *rounds);

#endif
