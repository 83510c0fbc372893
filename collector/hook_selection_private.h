/* What parsing and choosing share: the hash table that runs through the rules. */
#ifndef TRACESHIM_COLLECTOR_HOOK_SELECTION_PRIVATE_H
#define TRACESHIM_COLLECTOR_HOOK_SELECTION_PRIVATE_H

#include "collector/hook_selection.h"

/* Fowler, Noll and Vo's FNV-1a. */
static inline uint32_t ts_hook_hash(const char *name, size_t bytes) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

/* The rule whose `bucket` begins the chain of this hash. A multiplication in place of a division (Lemire). */
static inline uint32_t ts_hook_bucket(const struct ts_hook_selection *selection, uint32_t hash) {
    return (uint32_t)((uint64_t)hash * selection->capacity >> 32);
}

#endif
