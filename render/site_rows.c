#include "render/site_rows.h"

#include "render/memory.h"

#include <stdlib.h>

struct ts_site_row {
    uint32_t row;
    uint32_t site;
    uint32_t made;
};

void ts_site_rows_free(struct ts_site_rows *site_rows) {
    free(site_rows->known);
    ts_hash_index_free(&site_rows->index);
    *site_rows = (struct ts_site_rows){0};
}

uint32_t ts_site_rows_of(struct ts_site_rows *site_rows, struct ts_function_rows *rows, uint32_t row,
                         struct ts_sites *sites, struct ts_site *site) {
    uint64_t hash = ts_hash_mix((uint64_t)row << 32 | site->id); /* both count up: no file aims at a slot */
    size_t at = hash;
    for (uint32_t i; ts_hash_index_next(&site_rows->index, hash, &at, &i);)
        if (site_rows->known[i].row == row && site_rows->known[i].site == site->id)
            return site_rows->known[i].made;
    struct ts_function_row placed = rows->rows[row];
    placed.from = ts_function_name(ts_site_function(sites, site));
    placed.at = ts_site_at(sites, site);
    uint32_t made = ts_function_rows_like(rows, &placed);
    site_rows->known =
        ts_memory_grow(site_rows->known, &site_rows->capacity, site_rows->count + 1, sizeof *site_rows->known);
    site_rows->known[site_rows->count] = (struct ts_site_row){row, site->id, made};
    ts_hash_index_add(&site_rows->index, hash, (uint32_t)site_rows->count++);
    return made;
}
