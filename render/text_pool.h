/*
 * Texts that stay where they are, each kept once, up to a bound of memory. All zero but `most_bytes` is an empty pool.
 */
#ifndef TRACESHIM_RENDER_TEXT_POOL_H
#define TRACESHIM_RENDER_TEXT_POOL_H

#include "render/hash_index.h"

struct ts_text_pool {
    size_t most_bytes; /* of memory, tables included */
    size_t used_bytes;
    uint64_t seed;
    struct ts_hash_index index;
    const char **texts;
    size_t text_count;
    size_t text_capacity;
    char **chunks;
    size_t chunk_count;
    size_t chunk_capacity;
    char *at; /* room in the newest chunk */
    size_t left;
};

/* The pool's own copy, which lives as long as the pool; NULL when it is full. */
const char *ts_text_pool_add(struct ts_text_pool *pool, const char *text);
void ts_text_pool_free(struct ts_text_pool *pool);

#endif
