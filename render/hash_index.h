/*
 * A hash table of numbers: indexes into its owner's array, found again by a hash of what the owner stores there. All
 * zero is an empty table. Who hashes what a trace says should mix a random seed in: a file cannot aim at one slot then.
 */
#ifndef TRACESHIM_RENDER_HASH_INDEX_H
#define TRACESHIM_RENDER_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_hash_index {
    struct ts_hash_slot *slots;
    size_t size; /* a power of two, at most half of it used */
    size_t used;
};

void ts_hash_index_free(struct ts_hash_index *index);
void ts_hash_index_add(struct ts_hash_index *index, uint64_t hash, uint32_t number);

/*
 * Goes through the numbers stored under `hash`: *at starts as the hash; false when there are no more. The owner looks
 * whether what it stores at *number is what it wants.
 */
bool ts_hash_index_next(const struct ts_hash_index *index, uint64_t hash, size_t *at, uint32_t *number);

/* Drawn at random. */
uint64_t ts_hash_seed(void);
uint64_t ts_hash_mix(uint64_t value);
uint64_t ts_hash_mix_bytes(uint64_t hash, const void *bytes, size_t count);

#endif
