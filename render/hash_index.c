#include "render/hash_index.h"

#include "render/memory.h"

#include <stdlib.h>
#include <sys/random.h>

struct ts_hash_slot {
    uint64_t hash;
    uint32_t number; /* plus one; 0: free */
};

void ts_hash_index_free(struct ts_hash_index *index) {
    free(index->slots);
    *index = (struct ts_hash_index){0};
}

/* Linear probing. */
static void place(struct ts_hash_index *index, struct ts_hash_slot slot) {
    size_t at = slot.hash & (index->size - 1);
    while (index->slots[at].number)
        at = (at + 1) & (index->size - 1);
    index->slots[at] = slot;
}

void ts_hash_index_add(struct ts_hash_index *index, uint64_t hash, uint32_t number) {
    if (2 * (index->used + 1) > index->size) {
        struct ts_hash_index larger = {.size = index->size ? 2 * index->size : 64, .used = index->used};
        larger.slots = ts_memory_new(larger.size, sizeof *larger.slots);
        for (size_t i = 0; i < index->size; i++)
            if (index->slots[i].number)
                place(&larger, index->slots[i]);
        free(index->slots);
        *index = larger;
    }
    place(index, (struct ts_hash_slot){.hash = hash, .number = number + 1});
    index->used++;
}

bool ts_hash_index_next(const struct ts_hash_index *index, uint64_t hash, size_t *at, uint32_t *number) {
    if (!index->size)
        return false;
    for (;; ++*at) {
        const struct ts_hash_slot *slot = &index->slots[*at & (index->size - 1)];
        if (!slot->number)
            return false;
        if (slot->hash == hash) {
            *number = slot->number - 1;
            ++*at;
            return true;
        }
    }
}

uint64_t ts_hash_seed(void) {
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uintptr_t)&seed;
    return seed;
}

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t ts_hash_mix(uint64_t value) {
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

uint64_t ts_hash_mix_bytes(uint64_t hash, const void *bytes, size_t count) {
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return ts_hash_mix(hash ^ count);
}
