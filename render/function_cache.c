#include "render/function_cache.h"

void ts_function_cache_begin(struct ts_function_cache *cache, const struct ts_module_map *modules,
                             const struct ts_hook_map *hooks) {
    cache->modules = modules;
    cache->hooks = hooks;
    cache->epoch++;
    cache->next_change = 0;
}

void ts_function_cache_advance(struct ts_function_cache *cache, uint64_t clock) {
    uint64_t modules_change = ts_module_map_next_change(cache->modules, clock);
    uint64_t hooks_change = ts_hook_map_next_change(cache->hooks, clock);
    cache->epoch++;
    cache->next_change = modules_change < hooks_change ? modules_change : hooks_change;
}

struct ts_function *ts_function_cache_miss(struct ts_function_cache *cache, uint64_t address, int low_bits_only,
                                           uint64_t clock) {
    uint64_t full = address;
    const struct ts_module *module = ts_module_map_find(cache->modules, address, low_bits_only, clock, &full);
    /* A stub's module tells its upper half; without it, the lower half is all that there is to go by. */
    struct ts_function *function = ts_hook_map_find(cache->hooks, full, low_bits_only && !module, clock);
    if (!function)
        function = module ? ts_functions_intern(cache->functions, module->object, full - module->bias)
                          : ts_functions_intern(cache->functions, NULL, address);
    uint64_t hash = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    cache->slots[hash >> 52] =
        (struct ts_function_slot){address, cache->epoch << 1 | (unsigned)low_bits_only, function};
    return function;
}
