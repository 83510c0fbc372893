/* From the address in an ENTER record to its function: a direct-mapped cache in front of the maps of modules and hooks.
 */
#ifndef TRACESHIM_RENDER_FUNCTION_CACHE_H
#define TRACESHIM_RENDER_FUNCTION_CACHE_H

#include "render/functions.h"
#include "render/hook_map.h"
#include "render/module_map.h"

#define TS_FUNCTION_CACHE_SLOTS 4096u

/* An address means the same function as long as `epoch` is the same: one process, no change of modules and hooks. */
struct ts_function_cache {
    struct ts_functions *functions;
    const struct ts_module_map *modules;
    const struct ts_hook_map *hooks;
    uint64_t epoch;
    uint64_t next_change; /* clock at which the epoch ends */
    struct ts_function_slot {
        uint64_t address;
        uint64_t epoch; /* shifted left by one; bit 0: only the low 32 bits of the address are known */
        struct ts_function *function;
    } slots[TS_FUNCTION_CACHE_SLOTS];
};

/* From now on addresses are those of a process with these modules and hooks; what is cached holds no more. */
void ts_function_cache_begin(struct ts_function_cache *cache, const struct ts_module_map *modules,
                             const struct ts_hook_map *hooks);

struct ts_function *ts_function_cache_miss(struct ts_function_cache *cache, uint64_t address, int low_bits_only,
                                           uint64_t clock);
void ts_function_cache_advance(struct ts_function_cache *cache, uint64_t clock);

/* Never NULL. Clocks of one thread should grow; one that lies back is looked up as if it were of now. */
static inline struct ts_function *ts_function_cache_find(struct ts_function_cache *cache, uint64_t address,
                                                         int low_bits_only, uint64_t clock) {
    if (__builtin_expect(clock >= cache->next_change, 0))
        ts_function_cache_advance(cache, clock);
    uint64_t hash = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    struct ts_function_slot *slot = &cache->slots[hash >> 52];
    if (__builtin_expect(slot->address == address && slot->epoch == (cache->epoch << 1 | (unsigned)low_bits_only), 1))
        return slot->function;
    return ts_function_cache_miss(cache, address, low_bits_only, clock);
}
_Static_assert(TS_FUNCTION_CACHE_SLOTS == 1u << (64 - 52), "the hash's upper bits are the index");

#endif
