/*
 * Rows: what people mean by "a function", a name and a scope. Several ts_functions share a row where their names do:
 * overloads, clones (.isra, .part), copies of a header's static function, two builds of one module. Both the report and
 * the merged tree count by row.
 */
#ifndef TRACESHIM_RENDER_FUNCTION_ROWS_H
#define TRACESHIM_RENDER_FUNCTION_ROWS_H

#include "render/functions.h"

#define TS_ROW_NONE UINT32_MAX /* no row */

struct ts_function_row {
    const char *name; /* both owned by the registry of functions */
    const char *scope;
    const char *label; /* of the first of its functions that has one; NULL: none */
    /* Of calls that are counted by where they were made; NULL: not known, or not asked for. */
    const char *from; /* the function, of the registry */
    const char *at;   /* "file.c:4", of the session's sites */
    uint64_t hash;
};

struct ts_function_rows {
    struct ts_function_row *rows;
    size_t count;
    size_t capacity;
    uint32_t *of_function; /* by ts_function.id */
    size_t of_function_count;
    size_t of_function_capacity;
    uint32_t *table; /* open addressing, rows by hash; table_size is a power of two */
    size_t table_size;
    uint64_t seed; /* of the hash, drawn at random: a file cannot aim its names at one slot */
};

/* All zero is an empty set. */
void ts_function_rows_free(struct ts_function_rows *rows);

/* For ts_function_rows_of: looks the name up. */
uint32_t ts_function_rows_add(struct ts_function_rows *rows, struct ts_function *function);

/* The function's row if it was looked up before, else TS_ROW_NONE. */
static inline uint32_t ts_function_rows_known(const struct ts_function_rows *rows, const struct ts_function *function) {
    return function->id < rows->of_function_count ? rows->of_function[function->id] : TS_ROW_NONE;
}

/* The function's row; one load once the function was seen. */
static inline uint32_t ts_function_rows_of(struct ts_function_rows *rows, struct ts_function *function) {
    uint32_t row = ts_function_rows_known(rows, function);
    return row != TS_ROW_NONE ? row : ts_function_rows_add(rows, function);
}

/* The row of this name and scope, made where there is none: for rows of another set. */
uint32_t ts_function_rows_like(struct ts_function_rows *rows, const struct ts_function_row *other);

/* Order by name, then by scope, then by where calls were made, as strcmp does; what is not known comes first. */
int ts_function_rows_compare(const struct ts_function_row *left, const struct ts_function_row *right);

#endif
