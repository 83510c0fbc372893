/* What enters a block leaves it: a worklist of blocks of which something has become known. */
#include "render/code_flow.h"

#include "render/memory.h"

#include <stdlib.h>

struct solving {
    struct ts_code_flow *flow;
    uint32_t *work;
    size_t work_count;
    size_t work_capacity;
};

static void look_again(struct solving *solving, uint32_t block) {
    if (block == solving->flow->block_count)
        return;
    solving->work = ts_memory_grow(solving->work, &solving->work_capacity, solving->work_count + 1, sizeof(uint32_t));
    solving->work[solving->work_count++] = block;
}

static void tell_arc(struct solving *solving, struct ts_code_arc *arc, uint64_t count) {
    struct ts_code_block *from = &solving->flow->blocks[arc->from], *to = &solving->flow->blocks[arc->to];
    arc->count = count;
    arc->known = true;
    from->unknown_out--;
    from->sum_out += count;
    to->unknown_in--;
    to->sum_in += count;
    look_again(solving, arc->from);
    look_again(solving, arc->to);
}

/* Counts of threads that ended in the middle of a block, by a jump or a signal, do not add up: 0 is the least. */
static uint64_t rest(uint64_t count, uint64_t sum) {
    return count > sum ? count - sum : 0;
}

static void look(struct solving *solving, uint32_t number) {
    struct ts_code_flow *flow = solving->flow;
    struct ts_code_block *block = &flow->blocks[number];
    if (!block->known && block->first_in != TS_CODE_NONE && !block->unknown_in) {
        block->count = block->sum_in;
        block->known = true;
    } else if (!block->known && block->first_out != TS_CODE_NONE && !block->unknown_out) {
        block->count = block->sum_out;
        block->known = true;
    }
    if (!block->known)
        return;
    if (block->unknown_in == 1) {
        uint32_t arc = block->first_in;
        while (flow->arcs[arc].known)
            arc = flow->arcs[arc].next_in;
        tell_arc(solving, &flow->arcs[arc], rest(block->count, block->sum_in));
    }
    if (block->unknown_out == 1) {
        uint32_t arc = block->first_out;
        while (flow->arcs[arc].known)
            arc = flow->arcs[arc].next_out;
        tell_arc(solving, &flow->arcs[arc], rest(block->count, block->sum_out));
    }
}

static void work_off(struct solving *solving) {
    while (solving->work_count)
        look(solving, solving->work[--solving->work_count]);
}

void ts_code_flow_solve(struct ts_code_flow *flow, uint64_t (*count_at)(const void *context, uint64_t address),
                        const void *context) {
    struct solving solving = {.flow = flow};
    for (uint32_t i = 0; i < flow->block_count; i++) {
        struct ts_code_block *block = &flow->blocks[i];
        block->known = block->counter != 0;
        block->count = block->counter ? count_at(context, block->counter) : 0;
        look_again(&solving, i);
    }
    work_off(&solving);
    /* Where nothing tells: calls return. */
    for (size_t i = 0; i < flow->arc_count; i++)
        if (flow->arcs[i].is_doubtful && !flow->arcs[i].known) {
            tell_arc(&solving, &flow->arcs[i], 0);
            work_off(&solving);
        }
    free(solving.work);
}
