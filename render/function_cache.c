#include "render/function_cache.h"

void ts_function_cache_begin(struct ts_function_cache *cache, const struct ts_module_map *modules) {
    cache->modules = modules;
    cache->epoch++;
    cache->next_change = 0;
}

void ts_function_cache_advance(struct ts_function_cache *cache, uint64_t clock) {
    cache->epoch++;
    cache->next_change = ts_module_map_next_change(cache->modules, clock);
}

struct ts_function *ts_function_cache_miss(struct ts_function_cache *cache, uint64_t address, int low_bits_only,
                                           uint64_t clock) {
    uint64_t full = address;
    const struct ts_module *module = ts_module_map_find(cache->modules, address, low_bits_only, clock, &full);
    struct ts_function *function = module ? ts_functions_intern(cache->functions, module->object, full - module->bias)
                                          : ts_functions_intern(cache->functions, NULL, address);
    uint64_t hash = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    cache->slots[hash >> 52] =
        (struct ts_function_slot){address, cache->epoch << 1 | (unsigned)low_bits_only, function};
    return function;
}
