#include "render/code_flow.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

/* What pass one finds at each byte of the code. */
enum { BEGINS_BLOCK = 1, IS_COUNTER = 2 };

struct reading {
    struct ts_code_flow *flow;
    ts_code_decode *decode;
    const uint8_t *code;
    size_t bytes;
    uint64_t address;
    const struct ts_code_counters *counters;
    uint8_t *marks;
};

bool ts_code_counters_hold(const struct ts_code_counters *counters, uint64_t target) {
    for (size_t i = 0; i < counters->count; i++)
        if (counters->targets[i] == target)
            return true;
    return false;
}

void ts_code_counters_add(struct ts_code_counters *counters, uint64_t target) {
    if (!target || ts_code_counters_hold(counters, target))
        return;
    counters->targets =
        ts_memory_grow(counters->targets, &counters->capacity, counters->count + 1, sizeof *counters->targets);
    counters->targets[counters->count++] = target;
}

static void mark(struct reading *reading, uint64_t address) {
    if (address - reading->address < reading->bytes)
        reading->marks[address - reading->address] |= BEGINS_BLOCK;
}

/* Where blocks begin. Ends at what cannot be decoded: reading->bytes is then what can. */
static size_t find_blocks(struct reading *reading) {
    struct ts_code_instruction instruction;
    size_t counters = 0, at = 0;
    for (; at < reading->bytes; at += instruction.bytes) {
        uint64_t address = reading->address + at;
        if (reading->decode(reading->code + at, reading->bytes - at, address, &instruction))
            break;
        if (instruction.kind == TS_CODE_CONDITIONAL || instruction.kind == TS_CODE_JUMP)
            mark(reading, instruction.target);
        if (instruction.kind != TS_CODE_OTHER && instruction.kind != TS_CODE_CALL)
            mark(reading, address + instruction.bytes);
        if (instruction.kind == TS_CODE_CALL && ts_code_counters_hold(reading->counters, instruction.target)) {
            reading->marks[at] |= IS_COUNTER;
            counters++;
        }
    }
    reading->bytes = at;
    return counters;
}

static struct ts_code_block *new_block(struct ts_code_flow *flow, uint64_t low) {
    flow->blocks = ts_memory_grow(flow->blocks, &flow->block_capacity, flow->block_count + 2, sizeof *flow->blocks);
    struct ts_code_block *block = &flow->blocks[flow->block_count++];
    *block = (struct ts_code_block){.low = low,
                                    .high = low,
                                    .first_in = TS_CODE_NONE,
                                    .first_out = TS_CODE_NONE,
                                    .jumped = TS_CODE_NONE,
                                    .went_on = TS_CODE_NONE};
    return block;
}

static uint32_t add_arc(struct ts_code_flow *flow, uint32_t from, uint32_t to, bool is_doubtful) {
    flow->arcs = ts_memory_grow(flow->arcs, &flow->arc_capacity, flow->arc_count + 1, sizeof *flow->arcs);
    uint32_t number = (uint32_t)flow->arc_count++;
    struct ts_code_block *source = &flow->blocks[from], *target = &flow->blocks[to];
    flow->arcs[number] = (struct ts_code_arc){
        .from = from, .to = to, .next_in = target->first_in, .next_out = source->first_out, .is_doubtful = is_doubtful};
    target->first_in = source->first_out = number;
    target->unknown_in++;
    source->unknown_out++;
    return number;
}

/* The block that begins at `address`; the outside where none does. */
static uint32_t block_at(const struct ts_code_flow *flow, uint64_t address) {
    size_t low = 0, high = flow->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flow->blocks[middle].low < address)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)(low < flow->block_count && flow->blocks[low].low == address ? low : flow->block_count);
}

static void make_blocks(struct reading *reading) {
    struct ts_code_flow *flow = reading->flow;
    struct ts_code_instruction instruction = {.bytes = 1};
    struct ts_code_block *block = NULL;
    for (size_t at = 0; at < reading->bytes; at += instruction.bytes) {
        uint64_t address = reading->address + at;
        reading->decode(reading->code + at, reading->bytes - at, address, &instruction);
        /* What comes before the first counter is of the same block: arguments, saved registers. */
        if (!block || reading->marks[at] & BEGINS_BLOCK || (reading->marks[at] & IS_COUNTER && block->counter))
            block = new_block(flow, address);
        if (reading->marks[at] & IS_COUNTER) {
            block->counter_call = address;
            block->counter = address + instruction.bytes;
        }
        block->last = address;
        block->high = address + instruction.bytes;
    }
}

static void make_arcs(struct reading *reading) {
    struct ts_code_flow *flow = reading->flow;
    struct ts_code_instruction last;
    uint32_t outside = (uint32_t)flow->block_count;
    for (uint32_t i = 0; i < outside; i++) {
        struct ts_code_block *block = &flow->blocks[i];
        size_t at = block->last - reading->address;
        uint32_t next = i + 1; /* the outside, behind the last one */
        reading->decode(reading->code + at, reading->bytes - at, block->last, &last);
        if (last.kind == TS_CODE_JUMP || last.kind == TS_CODE_CONDITIONAL)
            block->jumped = add_arc(flow, i, block_at(flow, last.target), false);
        block->is_end = last.kind == TS_CODE_END;
        block->is_indirect = last.kind == TS_CODE_INDIRECT;
        block->is_bare = block->counter && (block->high == block->counter ||
                                            (block->last == block->counter && last.kind == TS_CODE_JUMP));
        if (block->is_end || block->is_indirect)
            add_arc(flow, i, outside, false);
        else if (last.kind != TS_CODE_JUMP)
            block->went_on = add_arc(flow, i, next, false);
        if (last.kind == TS_CODE_CALL && block->last + last.bytes != block->counter && next != outside)
            add_arc(flow, i, outside, true);
        if (last.kind != TS_CODE_CONDITIONAL)
            block->jumped = TS_CODE_NONE;
    }
}

/* Whether all that leads there is the block before it: then it begins since something else leads there, too. */
static bool may_be_entered(const struct ts_code_flow *flow, uint32_t number) {
    const struct ts_code_block *block = &flow->blocks[number];
    if (number == 0 || block->first_in == TS_CODE_NONE)
        return true;
    const struct ts_code_arc *arc = &flow->arcs[block->first_in];
    return block->counter && arc->next_in == TS_CODE_NONE && arc->from + 1 == number &&
           flow->blocks[arc->from].jumped == TS_CODE_NONE && flow->blocks[arc->from].counter;
}

size_t ts_code_flow_read(struct ts_code_flow *flow, ts_code_decode *decode, const uint8_t *code, size_t bytes,
                         uint64_t address, const struct ts_code_counters *counters) {
    struct reading reading = {flow, decode, code, bytes, address, counters, ts_memory_new(bytes + 1, 1)};
    flow->block_count = flow->arc_count = 0;
    size_t count = find_blocks(&reading);
    if (count && reading.bytes / 4 < UINT32_MAX / 4) {
        make_blocks(&reading);
        new_block(flow, 0);
        flow->block_count--;
        make_arcs(&reading);
        for (uint32_t i = 0; i < flow->block_count; i++)
            if (may_be_entered(flow, i))
                add_arc(flow, (uint32_t)flow->block_count, i, false);
    }
    free(reading.marks);
    return count;
}

void ts_code_flow_free(struct ts_code_flow *flow) {
    free(flow->blocks);
    free(flow->arcs);
    *flow = (struct ts_code_flow){.blocks = NULL};
}
