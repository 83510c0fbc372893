#include "render/line_count.h"

#include "render/line_rounds.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that may lie between the jump through a table and where it leads. */
#define TABLE_MOST 4096u

/* A block that has code of a line. */
struct ts_line_placing {
    const char *file;
    uint32_t line;
    uint32_t block;
    bool ends_there; /* its last line */
};

struct finding {
    struct ts_line_counts *counts;
    struct ts_code_flow *flow;
    const struct ts_source_rows *rows;
    const struct ts_source *declared;
    size_t placing_count;
};

static void place(struct finding *finding, const char *file, uint32_t line, uint32_t block) {
    struct ts_line_counts *counts = finding->counts;
    if (finding->placing_count) { /* the same line goes on */
        const struct ts_line_placing *last = &counts->placings[finding->placing_count - 1];
        if (last->block == block && last->line == line && !strcmp(last->file, file))
            return;
    }
    counts->placings = ts_memory_grow(counts->placings, &counts->placing_capacity, finding->placing_count + 1,
                                      sizeof *counts->placings);
    counts->placings[finding->placing_count++] = (struct ts_line_placing){file, line, block, false};
}

/* The last row at or before `address`, from row *at on. */
static const struct ts_source_row *row_at(const struct ts_source_rows *rows, uint64_t address, size_t *at) {
    while (*at + 1 < rows->count && rows->rows[*at + 1].address <= address)
        ++*at;
    return rows->rows[*at].address <= address ? &rows->rows[*at] : NULL;
}

/*
 * What comes before a function's first callback is where it is declared, not where its brace is; for clang, the
 * callback and the rest of its row are, too. Returns where that ends.
 */
static uint64_t declaration_end(const struct finding *finding) {
    const struct ts_code_block *first = &finding->flow->blocks[0];
    const struct ts_source_rows *rows = finding->rows;
    size_t row = 0;
    if (!finding->declared)
        return first->low;
    if (!first->counter)
        return first->high;
    if (!rows->by_clang)
        return first->counter_call;
    row_at(rows, first->counter_call, &row);
    return row + 1 < rows->count && rows->rows[row + 1].address < first->high ? rows->rows[row + 1].address
                                                                              : first->high;
}

/*
 * gcc: the end of a function that returns a value is no statement: it has no row of its own at its callback, and the
 * row behind that, of the brace, is none of a callback.
 */
static bool is_end(const struct finding *finding, const struct ts_code_block *block, const struct ts_source_row *row) {
    if (finding->rows->by_clang || !finding->rows->returns_value || !block->is_end)
        return false;
    return row->address >= block->counter || row->address < block->low;
}

/* How many rows begin before `address`. */
static size_t rows_before(const struct ts_source_rows *rows, uint64_t address) {
    size_t low = 0, high = rows->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->rows[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * clang splits an edge by a block of its own, in the row of the jump before it: LLVM's gcov knows none. `row` is the
 * block's; the rows of its only predecessor's end are looked at, for a table of a switch those of the switch.
 */
static bool is_split_edge(const struct finding *finding, const struct ts_code_block *block,
                          const struct ts_source_row *row) {
    const struct ts_code_flow *flow = finding->flow;
    if (!finding->rows->by_clang || !block->is_bare || !row || block->first_in == TS_CODE_NONE ||
        flow->arcs[block->first_in].next_in != TS_CODE_NONE)
        return false;
    uint32_t number = (uint32_t)(block - flow->blocks), from = flow->arcs[block->first_in].from;
    if (from == flow->block_count)
        for (from = number; from && from + TABLE_MOST > number && !flow->blocks[from].is_indirect;)
            from--;
    size_t behind = rows_before(finding->rows, flow->blocks[from].last + 1);
    while (behind && !finding->rows->rows[behind - 1].file) /* a jump table has no line */
        behind--;
    const struct ts_source_row *before = behind ? &finding->rows->rows[behind - 1] : NULL;
    return before && before->line == row->line && before->column == row->column && !strcmp(before->file, row->file);
}

/*
 * gcc: the jump back of a loop without a condition has a row of its own, of the line that the loop begins on. It is
 * made after gcov was told of the blocks, for which the block before it ends where it did without.
 */
static bool is_jump_back(const struct finding *finding, uint32_t number, const struct ts_source_row *row) {
    const struct ts_code_flow *flow = finding->flow;
    const struct ts_code_block *block = &flow->blocks[number];
    size_t at = 0;
    if (finding->rows->by_clang || !row || row->address != block->last || block->jumped != TS_CODE_NONE ||
        block->first_out == TS_CODE_NONE || flow->arcs[block->first_out].next_out != TS_CODE_NONE ||
        flow->arcs[block->first_out].to > number)
        return false;
    const struct ts_source_row *to = row_at(finding->rows, flow->blocks[flow->arcs[block->first_out].to].low, &at);
    return to && to->file && to->line == row->line && !strcmp(to->file, row->file);
}

static void place_block(struct finding *finding, uint32_t number, size_t *row) {
    struct ts_code_block *block = &finding->flow->blocks[number];
    const struct ts_source_rows *rows = finding->rows;
    size_t before = finding->placing_count;
    uint64_t address = block->low;
    if (number == 0 && address < declaration_end(finding)) {
        place(finding, finding->declared->file, finding->declared->line, number);
        address = declaration_end(finding);
    }
    while (address < block->high) {
        const struct ts_source_row *now = row_at(rows, address, row);
        if (now && now->file && !is_end(finding, block, now) && !is_split_edge(finding, block, now) &&
            !is_jump_back(finding, number, now))
            place(finding, now->file, now->line, number);
        address = *row + 1 < rows->count ? rows->rows[*row + 1].address : block->high;
    }
    block->is_no_line = finding->placing_count == before;
    if (!block->is_no_line)
        finding->counts->placings[finding->placing_count - 1].ends_there = true;
}

static int compare_placings(const void *left, const void *right) {
    const struct ts_line_placing *a = left, *b = right;
    int files = a->file == b->file ? 0 : strcmp(a->file, b->file);
    if (files)
        return files;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (int)b->ends_there - (int)a->ends_there;
}

/* The line of placings [first, end). */
static void count_line(struct finding *finding, size_t first, size_t end, struct ts_line_rounds *rounds) {
    struct ts_line_counts *counts = finding->counts;
    const struct ts_line_placing *placings = counts->placings;
    uint64_t sum = 0;
    bool graph = false;
    ts_line_rounds_begin(rounds);
    for (size_t i = first; i < end; i++) {
        bool again = i > first && placings[i].block == placings[i - 1].block;
        if (!again)
            sum += finding->flow->blocks[placings[i].block].count;
        if (!again && (placings[i].ends_there || finding->rows->by_clang)) {
            ts_line_rounds_add(rounds, placings[i].block);
            graph = true;
        }
    }
    counts->lines = ts_memory_grow(counts->lines, &counts->capacity, counts->count + 1, sizeof *counts->lines);
    counts->lines[counts->count++] =
        (struct ts_line_count){placings[first].file, placings[first].line, graph ? ts_line_rounds_count(rounds) : sum};
}

static void find_branches(struct finding *finding) {
    struct ts_line_counts *counts = finding->counts;
    const struct ts_code_flow *flow = finding->flow;
    size_t row = 0;
    counts->branch_count = 0;
    for (size_t i = 0; i < flow->block_count; i++) {
        const struct ts_code_block *block = &flow->blocks[i];
        const struct ts_source_row *now = row_at(finding->rows, block->last, &row);
        if (block->jumped == TS_CODE_NONE || !now || !now->file)
            continue;
        counts->branches = ts_memory_grow(counts->branches, &counts->branch_capacity, counts->branch_count + 1,
                                          sizeof *counts->branches);
        counts->branches[counts->branch_count++] =
            (struct ts_line_branch){.file = now->file,
                                    .line = now->line,
                                    .column = now->column,
                                    .address = block->last,
                                    .counts = {flow->arcs[block->went_on].count, flow->arcs[block->jumped].count},
                                    .known = flow->arcs[block->went_on].known && flow->arcs[block->jumped].known,
                                    .reached = !block->known || block->count != 0};
    }
}

void ts_line_counts_find(struct ts_line_counts *counts, struct ts_code_flow *flow, const struct ts_source_rows *rows,
                         const struct ts_source *declared) {
    struct finding finding = {.counts = counts, .flow = flow, .rows = rows, .declared = declared};
    size_t row = 0;
    counts->count = counts->branch_count = 0;
    if (!rows->count || !flow->block_count)
        return;
    for (uint32_t i = 0; i < flow->block_count; i++)
        place_block(&finding, i, &row);
    if (finding.placing_count)
        qsort(counts->placings, finding.placing_count, sizeof *counts->placings, compare_placings);
    struct ts_line_rounds rounds;
    ts_line_rounds_open(&rounds, flow);
    for (size_t i = 0, end; i < finding.placing_count; i = end) {
        const struct ts_line_placing *first = &counts->placings[i];
        for (end = i; end < finding.placing_count && counts->placings[end].line == first->line &&
                      !strcmp(counts->placings[end].file, first->file);)
            end++;
        count_line(&finding, i, end, &rounds);
    }
    ts_line_rounds_close(&rounds);
    find_branches(&finding);
}

void ts_line_counts_free(struct ts_line_counts *counts) {
    free(counts->lines);
    free(counts->branches);
    free(counts->placings);
    *counts = (struct ts_line_counts){.lines = NULL};
}
