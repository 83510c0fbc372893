/* Rows of calls by where they were made: a function's row and a place give a row that has the place's names, too. */
#ifndef TRACESHIM_RENDER_SITE_ROWS_H
#define TRACESHIM_RENDER_SITE_ROWS_H

#include "render/function_rows.h"
#include "render/hash_index.h"
#include "render/sites.h"

/* All zero is an empty set. */
struct ts_site_rows {
    struct ts_site_row *known;
    size_t count;
    size_t capacity;
    struct ts_hash_index index;
};

void ts_site_rows_free(struct ts_site_rows *site_rows);

/*
 * The row of `rows` for calls of `row`'s function that are made at `site`. Places of which people are told the same,
 * two calls on one line, share it.
 */
uint32_t ts_site_rows_of(struct ts_site_rows *site_rows, struct ts_function_rows *rows, uint32_t row,
                         struct ts_sites *sites, struct ts_site *site);

#endif
