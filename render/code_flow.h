/*
 * The control flow of one function, from its machine code, and how often each part of it was executed: the blocks that
 * begin with a coverage callback have a counter, what the others and the ways between them were taken follows, since
 * what enters a block leaves it. So counts come out for code that the compiler gave no counter of its own.
 */
#ifndef TRACESHIM_RENDER_CODE_FLOW_H
#define TRACESHIM_RENDER_CODE_FLOW_H

#include "render/code.h"

#include <stdbool.h>

#define TS_CODE_NONE UINT32_MAX

struct ts_code_block {
    uint64_t low; /* addresses [low, high) */
    uint64_t high;
    uint64_t last;         /* address of its last instruction */
    uint64_t counter_call; /* of its callback */
    uint64_t counter;      /* where that returns to; 0: it has none */
    uint64_t count;
    bool known;        /* its count is */
    bool is_end;       /* it ends with a return */
    bool is_indirect;  /* it ends with a jump to where it is not told */
    bool is_bare;      /* nothing but its callback and a jump */
    bool is_no_line;   /* set by who places blocks on lines: it has no code of any, its way in counts for its way out */
    uint32_t first_in; /* arcs; TS_CODE_NONE: none */
    uint32_t first_out;
    uint32_t jumped;  /* of a conditional jump at its end: the arcs when it jumps and when it goes on */
    uint32_t went_on; /* TS_CODE_NONE: it does not end so */
    uint32_t unknown_in;
    uint32_t unknown_out;
    uint64_t sum_in; /* of the known ones */
    uint64_t sum_out;
};

/* From block to block. The number of blocks stands for everything outside: callers, callees, tables of a switch. */
struct ts_code_arc {
    uint32_t from;
    uint32_t to;
    uint32_t next_in;
    uint32_t next_out;
    uint64_t count;
    bool known;
    bool is_doubtful; /* leaves a block behind a call: taken only when that does not return */
};

struct ts_code_flow {
    struct ts_code_block *blocks; /* by address; one more than there are, for the outside */
    size_t block_count;
    size_t block_capacity;
    struct ts_code_arc *arcs;
    size_t arc_count;
    size_t arc_capacity;
};

/* Of which callees calls are counters: those of the numbers ts_code_instruction.target. */
struct ts_code_counters {
    uint64_t *targets;
    size_t count;
    size_t capacity;
};

bool ts_code_counters_hold(const struct ts_code_counters *counters, uint64_t target);
void ts_code_counters_add(struct ts_code_counters *counters, uint64_t target);

/*
 * Reads the function whose code, `bytes` of it, lies at `address`. `flow` is all zero or was used before. Returns the
 * number of counters in it; without any, nothing else is read.
 */
size_t ts_code_flow_read(struct ts_code_flow *flow, ts_code_decode *decode, const uint8_t *code, size_t bytes,
                         uint64_t address, const struct ts_code_counters *counters);
void ts_code_flow_free(struct ts_code_flow *flow);

/* Tells the counts of the blocks that have a counter, then finds the others. */
void ts_code_flow_solve(struct ts_code_flow *flow, uint64_t (*count_at)(const void *context, uint64_t address),
                        const void *context);

#endif
