#include "render/function_rows.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FNV_PRIME UINT64_C(0x100000001b3) /* FNV-1a, 64 bits, from a random basis */

static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * FNV_PRIME;
    return hash * FNV_PRIME; /* the byte 0 behind it */
}

static uint64_t hash_row(uint64_t hash, const struct ts_function_row *row) {
    hash = hash_text(hash_text(hash, row->name), row->scope);
    if (row->from)
        hash = hash_text(hash, row->from);
    if (row->at)
        hash = hash_text(hash, row->at);
    return hash ^ hash >> 29;
}

void ts_function_rows_free(struct ts_function_rows *rows) {
    free(rows->rows);
    free(rows->of_function);
    free(rows->table);
    memset(rows, 0, sizeof *rows);
}

static int compare(const char *left, const char *right) {
    return left && right ? strcmp(left, right) : (left != NULL) - (right != NULL);
}

int ts_function_rows_compare(const struct ts_function_row *left, const struct ts_function_row *right) {
    int order = strcmp(left->name, right->name);
    if (!order)
        order = strcmp(left->scope, right->scope);
    if (!order)
        order = compare(left->from, right->from);
    return order ? order : compare(left->at, right->at);
}

/* The slot of a row equal to `wanted`, or the empty slot where it would go. */
static uint32_t *find_slot(struct ts_function_rows *rows, const struct ts_function_row *wanted) {
    size_t mask = rows->table_size - 1;
    size_t at = wanted->hash & mask;
    while (rows->table[at] != TS_ROW_NONE) {
        const struct ts_function_row *row = &rows->rows[rows->table[at]];
        if (row->hash == wanted->hash && ts_function_rows_compare(row, wanted) == 0)
            break;
        at = (at + 1) & mask;
    }
    return &rows->table[at];
}

static void grow_table(struct ts_function_rows *rows) {
    if (rows->table_size == 0 && getrandom(&rows->seed, sizeof rows->seed, GRND_NONBLOCK) != sizeof rows->seed)
        rows->seed = (uintptr_t)rows;
    free(rows->table);
    rows->table_size = rows->table_size ? rows->table_size * 2 : 256;
    rows->table = ts_memory_new(rows->table_size, sizeof *rows->table);
    memset(rows->table, 0xff, rows->table_size * sizeof *rows->table);
    for (size_t i = 0; i < rows->count; i++)
        *find_slot(rows, &rows->rows[i]) = (uint32_t)i;
}

static void cover_function(struct ts_function_rows *rows, uint32_t id) {
    size_t need = (size_t)id + 1;
    if (need <= rows->of_function_count)
        return;
    rows->of_function = ts_memory_grow(rows->of_function, &rows->of_function_capacity, need, sizeof *rows->of_function);
    memset(rows->of_function + rows->of_function_count, 0xff,
           (need - rows->of_function_count) * sizeof *rows->of_function);
    rows->of_function_count = need;
}

uint32_t ts_function_rows_like(struct ts_function_rows *rows, const struct ts_function_row *other) {
    struct ts_function_row row = *other;

    if (rows->count >= rows->table_size / 2)
        grow_table(rows);
    row.hash = hash_row(rows->seed, &row);
    uint32_t *slot = find_slot(rows, &row);
    if (*slot == TS_ROW_NONE) {
        rows->rows = ts_memory_grow(rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows);
        rows->rows[rows->count] = row;
        *slot = (uint32_t)rows->count++;
    }
    if (!rows->rows[*slot].label)
        rows->rows[*slot].label = row.label;
    return *slot;
}

uint32_t ts_function_rows_add(struct ts_function_rows *rows, struct ts_function *function) {
    struct ts_function_row row = {
        .name = ts_function_name(function), .scope = ts_function_scope(function), .label = ts_function_label(function)};

    cover_function(rows, function->id);
    return rows->of_function[function->id] = ts_function_rows_like(rows, &row);
}
