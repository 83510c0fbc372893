#include "render/text_pool.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 << 10)
/* What the tables need for one text: its place in `texts`, and up to four slots of two words. */
#define TEXT_COST (sizeof(char *) * 9)

/* A text of its own size where it is longer than a chunk. */
static char *room_for(struct ts_text_pool *pool, size_t bytes) {
    if (bytes > pool->left) {
        size_t chunk_bytes = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        pool->chunks = ts_memory_grow(pool->chunks, &pool->chunk_capacity, pool->chunk_count + 1, sizeof(char *));
        pool->at = pool->chunks[pool->chunk_count++] = ts_memory_new(chunk_bytes, 1);
        pool->left = chunk_bytes;
    }
    char *room = pool->at;
    pool->at += bytes;
    pool->left -= bytes;
    return room;
}

const char *ts_text_pool_add(struct ts_text_pool *pool, const char *text) {
    size_t bytes = strlen(text) + 1;
    if (pool->text_count == 0)
        pool->seed = ts_hash_seed();
    uint64_t hash = ts_hash_mix_bytes(pool->seed, text, bytes);
    size_t at = hash;
    for (uint32_t number; ts_hash_index_next(&pool->index, hash, &at, &number);)
        if (strcmp(pool->texts[number], text) == 0)
            return pool->texts[number];
    if (pool->used_bytes + bytes + TEXT_COST > pool->most_bytes || pool->text_count >= UINT32_MAX - 1)
        return NULL;
    pool->used_bytes += bytes + TEXT_COST;
    char *copy = memcpy(room_for(pool, bytes), text, bytes);
    pool->texts = ts_memory_grow(pool->texts, &pool->text_capacity, pool->text_count + 1, sizeof(char *));
    pool->texts[pool->text_count] = copy;
    ts_hash_index_add(&pool->index, hash, (uint32_t)pool->text_count++);
    return copy;
}

void ts_text_pool_free(struct ts_text_pool *pool) {
    for (size_t i = 0; i < pool->chunk_count; i++)
        free(pool->chunks[i]);
    free(pool->chunks);
    free(pool->texts);
    ts_hash_index_free(&pool->index);
    memset(pool, 0, sizeof *pool);
}
