#include "render/line_count.h"

#include "render/line_rounds.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

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

/* clang: up to the first callback, and with it, a function is where it is declared. */
static bool is_declaration(const struct finding *finding, uint64_t address) {
    const struct ts_code_flow *flow = finding->flow;
    uint32_t first = 0;
    if (!finding->rows->by_clang || !finding->declared)
        return false;
    while (first < 2 && first + 1 < flow->block_count && !flow->blocks[first].counter)
        first++;
    return address < flow->blocks[first].counter;
}

static void place_block(struct finding *finding, uint32_t number, size_t *row) {
    const struct ts_code_block *block = &finding->flow->blocks[number];
    const struct ts_source_rows *rows = finding->rows;
    size_t before = finding->placing_count;
    for (uint64_t address = block->low; address < block->high;) {
        const struct ts_source_row *now = row_at(rows, address, row);
        if (is_declaration(finding, address))
            place(finding, finding->declared->file, finding->declared->line, number);
        else if (now && now->file)
            place(finding, now->file, now->line, number);
        address = *row + 1 < rows->count ? rows->rows[*row + 1].address : block->high;
    }
    if (finding->placing_count > before)
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
                                    .reached = block->count != 0};
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
