#include "render/hook_map.h"

#include "render/clock_list.h"
#include "render/memory.h"

#include <stdlib.h>

/* Bounds for hostile traces; no program comes near. */
#define PARENTS_MAX 256u  /* forks in forks, each with hooks of its own */
#define OVERLAPS_MAX 256u /* records of stubs that differ only in the upper half of their address */

struct entry {
    uint64_t stub;
    uint64_t clock;
    struct ts_function *function;
};

struct ts_hook_map {
    const struct ts_hook_map *parent;
    uint64_t fork_clock;
    struct entry *entries; /* by low half of the stub and clock once finished */
    size_t count;
    size_t capacity;
    uint64_t *changes; /* clocks, ascending */
};

struct ts_hook_map *ts_hook_map_new(void) {
    return ts_memory_new(1, sizeof(struct ts_hook_map));
}

void ts_hook_map_free(struct ts_hook_map *map) {
    if (!map)
        return;
    free(map->entries);
    free(map->changes);
    free(map);
}

void ts_hook_map_add(struct ts_hook_map *map, uint64_t stub, uint64_t clock, struct ts_function *function) {
    map->entries = ts_memory_grow(map->entries, &map->capacity, map->count + 1, sizeof(*map->entries));
    map->entries[map->count++] = (struct entry){stub, clock, function};
}

static int order(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_entries(const void *left, const void *right) {
    const struct entry *a = left;
    const struct entry *b = right;
    int by_stub = order((uint32_t)a->stub, (uint32_t)b->stub);
    int by_clock = order(a->clock, b->clock);
    return by_stub ? by_stub : by_clock ? by_clock : order(a->function->id, b->function->id);
}

static int compare_clocks(const void *left, const void *right) {
    return order(*(const uint64_t *)left, *(const uint64_t *)right);
}

void ts_hook_map_finish(struct ts_hook_map *map, const struct ts_hook_map *parent, uint64_t fork_clock) {
    /* A parent without hooks of its own adds nothing: chains of forks stay short. */
    for (; parent && parent->count == 0; parent = parent->parent)
        fork_clock = parent->fork_clock;
    map->parent = parent;
    map->fork_clock = fork_clock;
    if (map->count == 0)
        return;
    qsort(map->entries, map->count, sizeof(*map->entries), compare_entries);
    map->changes = ts_memory_new(map->count, sizeof(*map->changes));
    for (size_t i = 0; i < map->count; i++)
        map->changes[i] = map->entries[i].clock;
    qsort(map->changes, map->count, sizeof(*map->changes), compare_clocks);
}

/* The first entry of this low half that is later than `clock`, or where it would be. */
static size_t first_later(const struct ts_hook_map *map, uint32_t low_half, uint64_t clock) {
    size_t low = 0;
    size_t high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct entry *entry = &map->entries[middle];
        uint32_t half = (uint32_t)entry->stub;
        if (half < low_half || (half == low_half && entry->clock <= clock))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int is_same(const struct entry *entry, uint64_t address, int low_bits_only) {
    return low_bits_only ? (uint32_t)entry->stub == (uint32_t)address : entry->stub == address;
}

/* The own entry that holds at `clock`; else, in *later, the first after it. */
static const struct entry *find_own(const struct ts_hook_map *map, uint64_t address, int low_bits_only, uint64_t clock,
                                    const struct entry **later) {
    size_t middle = first_later(map, (uint32_t)address, clock);
    for (size_t i = middle; i > 0 && middle - i < OVERLAPS_MAX && is_same(&map->entries[i - 1], address, 1); i--)
        if (is_same(&map->entries[i - 1], address, low_bits_only))
            return &map->entries[i - 1];
    for (size_t i = middle; i < map->count && i - middle < OVERLAPS_MAX && is_same(&map->entries[i], address, 1); i++)
        if (is_same(&map->entries[i], address, low_bits_only)) {
            *later = &map->entries[i];
            break;
        }
    return NULL;
}

struct ts_function *ts_hook_map_find(const struct ts_hook_map *map, uint64_t address, int low_bits_only,
                                     uint64_t clock) {
    const struct entry *own_later = NULL;
    const struct entry *found = find_own(map, address, low_bits_only, clock, &own_later);
    uint64_t then = map->fork_clock;
    const struct ts_hook_map *at = map->parent;
    for (unsigned parents = 0; !found && at && parents < PARENTS_MAX; parents++) {
        /* What an ancestor hooked after the fork is no hook of the child's. */
        const struct entry *ignored = NULL;
        found = find_own(at, address, low_bits_only, then, &ignored);
        then = at->fork_clock;
        at = at->parent;
    }
    if (!found)
        found = own_later;
    return found ? found->function : NULL;
}

uint64_t ts_hook_map_next_change(const struct ts_hook_map *map, uint64_t clock) {
    return ts_clock_list_next(map->changes, map->count, clock);
}

size_t ts_hook_map_count(const struct ts_hook_map *map) {
    return map->count;
}

struct ts_function *ts_hook_map_at(const struct ts_hook_map *map, size_t index) {
    return map->entries[index].function;
}
