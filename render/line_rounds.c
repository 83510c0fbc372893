#include "render/line_rounds.h"

#include "render/memory.h"

#include <stdlib.h>

/*
 * Rounds are taken off one after the other, each as often as its least arc; every one uses up an arc. A line with more
 * arcs than this (a table of a generated parser in one line), or with arcs that nothing tells, counts as its most
 * executed block.
 */
#define ARCS_MOST 4096u

enum { NEW = 0, ON_PATH = 1, DONE = 2 };

void ts_line_rounds_open(struct ts_line_rounds *rounds, const struct ts_code_flow *flow) {
    *rounds = (struct ts_line_rounds){.flow = flow};
    for (uint32_t i = 0; i < flow->block_count && rounds->table_count < sizeof rounds->tables / sizeof(uint32_t); i++)
        if (flow->blocks[i].is_indirect)
            rounds->tables[rounds->table_count++] = i;
    rounds->stamp = ts_memory_new(flow->block_count + 1, sizeof *rounds->stamp);
    rounds->state = ts_memory_new(flow->block_count + 1, sizeof *rounds->state);
    rounds->left = ts_memory_new(flow->arc_count + 1, sizeof *rounds->left);
    rounds->path = ts_memory_new(flow->block_count + 1, sizeof *rounds->path);
    rounds->next = ts_memory_new(flow->block_count + 1, sizeof *rounds->next);
}

void ts_line_rounds_close(struct ts_line_rounds *rounds) {
    free(rounds->blocks);
    free(rounds->stamp);
    free(rounds->state);
    free(rounds->left);
    free(rounds->path);
    free(rounds->next);
}

void ts_line_rounds_begin(struct ts_line_rounds *rounds) {
    rounds->count = 0;
    rounds->now++;
}

void ts_line_rounds_add(struct ts_line_rounds *rounds, uint32_t block) {
    rounds->blocks = ts_memory_grow(rounds->blocks, &rounds->capacity, rounds->count + 1, sizeof *rounds->blocks);
    rounds->blocks[rounds->count++] = block;
    rounds->stamp[block] = rounds->now;
}

static bool is_inside(const struct ts_line_rounds *rounds, uint32_t block) {
    return block < rounds->flow->block_count && rounds->stamp[block] == rounds->now;
}

/* Whether what comes from a block comes from inside: also through one that is of no line. */
static bool comes_from_inside(const struct ts_line_rounds *rounds, uint32_t number) {
    const struct ts_code_flow *flow = rounds->flow;
    for (int steps = 0; steps < 3 && number < flow->block_count; steps++) {
        const struct ts_code_block *block = &flow->blocks[number];
        if (is_inside(rounds, number))
            return true;
        if (!block->is_no_line || block->first_in == TS_CODE_NONE ||
            flow->arcs[block->first_in].next_in != TS_CODE_NONE)
            return false;
        number = flow->arcs[block->first_in].from;
    }
    return false;
}

/*
 * What comes into `number` from outside the piece; also what no arc explains: a table of a switch leads there. Where
 * that is in the piece itself, `has_table`, none of both.
 */
static uint64_t entered(const struct ts_line_rounds *rounds, uint32_t number, bool has_table) {
    const struct ts_code_flow *flow = rounds->flow;
    const struct ts_code_block *block = &flow->blocks[number];
    uint64_t outside = 0;
    for (uint32_t arc = block->first_in; arc != TS_CODE_NONE; arc = flow->arcs[arc].next_in)
        if (!comes_from_inside(rounds, flow->arcs[arc].from) &&
            !(has_table && number && flow->arcs[arc].from == flow->block_count))
            outside += flow->arcs[arc].count;
    return outside + (!has_table && block->known && block->count > block->sum_in ? block->count - block->sum_in : 0);
}

/* The round that `last` closes, with the arcs of the path behind the block it leads to: taken off. */
static uint64_t take_round(struct ts_line_rounds *rounds, size_t depth, uint32_t last) {
    const struct ts_code_arc *arcs = rounds->flow->arcs;
    uint64_t least = rounds->left[last];
    size_t first = depth;
    for (uint32_t at = arcs[last].from; at != arcs[last].to; at = arcs[rounds->path[first]].from) {
        first--;
        if (rounds->left[rounds->path[first]] < least)
            least = rounds->left[rounds->path[first]];
    }
    for (size_t i = first; i < depth; i++)
        rounds->left[rounds->path[i]] -= least;
    rounds->left[last] -= least;
    return least;
}

/* Searches from `start` for a round whose arcs all have something left; 0: there is none. */
static uint64_t find_round(struct ts_line_rounds *rounds, uint32_t start) {
    const struct ts_code_flow *flow = rounds->flow;
    uint32_t *next = rounds->next;
    size_t depth = 0;
    uint32_t block = start;
    rounds->state[block] = ON_PATH;
    next[block] = flow->blocks[block].first_out;
    for (;;) {
        uint32_t arc = next[block];
        if (arc == TS_CODE_NONE) {
            rounds->state[block] = DONE;
            if (!depth)
                return 0;
            block = flow->arcs[rounds->path[--depth]].from;
            continue;
        }
        next[block] = flow->arcs[arc].next_out;
        uint32_t to = flow->arcs[arc].to;
        if (!rounds->left[arc] || !is_inside(rounds, to) || rounds->state[to] == DONE)
            continue;
        if (rounds->state[to] == ON_PATH)
            return take_round(rounds, depth, arc);
        rounds->path[depth++] = arc;
        rounds->state[to] = ON_PATH;
        block = to;
        next[block] = flow->blocks[block].first_out;
    }
}

static uint64_t rounds_inside(struct ts_line_rounds *rounds) {
    uint64_t count = 0, found;
    do {
        found = 0;
        for (size_t i = 0; i < rounds->count; i++)
            rounds->state[rounds->blocks[i]] = NEW;
        for (size_t i = 0; i < rounds->count && !found; i++)
            if (rounds->state[rounds->blocks[i]] == NEW)
                found = find_round(rounds, rounds->blocks[i]);
        count += found;
    } while (found);
    return count;
}

uint64_t ts_line_rounds_count(struct ts_line_rounds *rounds) {
    const struct ts_code_flow *flow = rounds->flow;
    uint64_t count = 0, most = 0;
    size_t arcs = 0;
    bool has_table = false, told = true;
    for (size_t i = 0; i < rounds->table_count && !has_table; i++)
        has_table = comes_from_inside(rounds, rounds->tables[i]);
    for (size_t i = 0; i < rounds->count; i++) {
        const struct ts_code_block *block = &flow->blocks[rounds->blocks[i]];
        count += entered(rounds, rounds->blocks[i], has_table);
        most = block->count > most ? block->count : most;
        told &= block->unknown_in == 0;
        for (uint32_t arc = block->first_out; arc != TS_CODE_NONE; arc = flow->arcs[arc].next_out, arcs++)
            rounds->left[arc] = flow->arcs[arc].count;
    }
    return arcs > ARCS_MOST || !told ? most : count + rounds_inside(rounds);
}
