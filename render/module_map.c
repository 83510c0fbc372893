#include "render/module_map.h"

#include "collector/trace_format.h"
#include "render/clock_list.h"
#include "render/memory.h"

#include <stdlib.h>

/* Bounds for hostile traces; no program comes near. */
#define OVERLAPS_MAX 256u /* distinct ranges over one address */
#define PARENTS_MAX 256u  /* forks in forks, each with modules of its own */

#define LARGEST_MODULE (UINT64_C(1) << 32)

/* One range of the address space, [start, last]; equal ranges stand side by side, by load clock. */
struct entry {
    uint64_t start;
    uint64_t last;
    uint64_t reach; /* the largest `last` of this entry and all before it */
    uint64_t load_clock;
    uint32_t module; /* index */
    uint32_t group;  /* index of the first entry of the same range */
};

struct index {
    struct entry *entries;
    size_t count;
    size_t capacity;
};

struct unload {
    uint32_t generation;
    uint64_t low;
    uint64_t clock;
};

struct ts_module_map {
    const struct ts_module_map *parent;
    uint64_t fork_clock;
    struct ts_module *modules; /* by load clock once finished */
    size_t module_count;
    size_t module_capacity;
    struct unload *unloads; /* by generation once finished */
    size_t unload_count;
    size_t unload_capacity;
    struct index wide;   /* full addresses */
    struct index narrow; /* low 32 bits of modules that are not WIDE */
    uint64_t *changes;   /* clocks, ascending */
    size_t change_count;
};

struct ts_module_map *ts_module_map_new(void) {
    return ts_memory_new(1, sizeof(struct ts_module_map));
}

void ts_module_map_inherit(struct ts_module_map *map, const struct ts_module_map *parent, uint64_t fork_clock) {
    map->parent = parent;
    map->fork_clock = fork_clock;
}

void ts_module_map_free(struct ts_module_map *map) {
    if (!map)
        return;
    free(map->modules);
    free(map->unloads);
    free(map->wide.entries);
    free(map->narrow.entries);
    free(map->changes);
    free(map);
}

void ts_module_map_load(struct ts_module_map *map, const struct ts_module *module) {
    if (module->high <= module->low || module->high - module->low > LARGEST_MODULE || map->module_count == UINT32_MAX)
        return;
    map->modules = ts_memory_grow(map->modules, &map->module_capacity, map->module_count + 1, sizeof(*map->modules));
    map->modules[map->module_count] = *module;
    map->modules[map->module_count++].unload_clock = UINT64_MAX;
}

void ts_module_map_unload(struct ts_module_map *map, uint32_t generation, uint64_t low, uint64_t clock) {
    map->unloads = ts_memory_grow(map->unloads, &map->unload_capacity, map->unload_count + 1, sizeof(*map->unloads));
    map->unloads[map->unload_count++] = (struct unload){generation, low, clock};
}

static int order(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_modules(const void *left, const void *right) {
    const struct ts_module *a = left;
    const struct ts_module *b = right;
    int by_clock = order(a->load_clock, b->load_clock);
    return by_clock ? by_clock : order(a->generation, b->generation);
}

static int compare_unloads(const void *left, const void *right) {
    const struct unload *a = left;
    const struct unload *b = right;
    int by_generation = order(a->generation, b->generation);
    return by_generation ? by_generation : order(a->clock, b->clock);
}

static int compare_entries(const void *left, const void *right) {
    const struct entry *a = left;
    const struct entry *b = right;
    int by_start = order(a->start, b->start);
    int by_last = order(a->last, b->last);
    return by_start ? by_start : by_last ? by_last : order(a->load_clock, b->load_clock);
}

static int compare_clocks(const void *left, const void *right) {
    return order(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* When this map saw the module go: UINT64_MAX if it did not. */
static uint64_t unload_clock(const struct ts_module_map *map, const struct ts_module *module) {
    size_t low = 0;
    size_t high = map->unload_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->unloads[middle].generation < module->generation)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < map->unload_count && map->unloads[low].generation == module->generation &&
        map->unloads[low].low == module->low)
        return map->unloads[low].clock;
    return UINT64_MAX;
}

static void add_entry(struct index *index, uint64_t start, uint64_t last, uint32_t module, uint64_t load_clock) {
    index->entries = ts_memory_grow(index->entries, &index->capacity, index->count + 1, sizeof(*index->entries));
    index->entries[index->count++] =
        (struct entry){.start = start, .last = last, .module = module, .load_clock = load_clock};
}

static void finish_index(struct index *index) {
    if (index->count)
        qsort(index->entries, index->count, sizeof(*index->entries), compare_entries);
    for (size_t i = 0; i < index->count; i++) {
        struct entry *entry = &index->entries[i];
        const struct entry *before = i ? entry - 1 : entry;
        entry->reach = before->reach > entry->last ? before->reach : entry->last;
        entry->group = (uint32_t)i;
        if (i && before->start == entry->start && before->last == entry->last)
            entry->group = before->group;
    }
}

/* Two entries at most for each module: its range may wrap around the end of the 32-bit space. */
static void index_module(struct ts_module_map *map, uint32_t number) {
    const struct ts_module *module = &map->modules[number];
    uint64_t bytes = module->high - module->low;
    add_entry(&map->wide, module->low, module->high - 1, number, module->load_clock);
    if (module->flags & TS_LOAD_WIDE)
        return;
    uint64_t start = (uint32_t)module->low;
    uint64_t to_end = LARGEST_MODULE - start;
    add_entry(&map->narrow, start, start + (bytes < to_end ? bytes : to_end) - 1, number, module->load_clock);
    if (bytes > to_end)
        add_entry(&map->narrow, 0, bytes - to_end - 1, number, module->load_clock);
}

static int is_empty(const struct ts_module_map *map) {
    return map->module_count == 0 && map->unload_count == 0;
}

void ts_module_map_finish(struct ts_module_map *map) {
    /* A parent without modules of its own adds nothing: chains of forks stay short. */
    while (map->parent && is_empty(map->parent)) {
        map->fork_clock = map->parent->fork_clock;
        map->parent = map->parent->parent;
    }
    if (map->module_count)
        qsort(map->modules, map->module_count, sizeof(*map->modules), compare_modules);
    if (map->unload_count)
        qsort(map->unloads, map->unload_count, sizeof(*map->unloads), compare_unloads);
    map->changes = ts_memory_new(map->module_count + map->unload_count, sizeof(*map->changes));
    for (size_t i = 0; i < map->module_count; i++) {
        map->modules[i].unload_clock = unload_clock(map, &map->modules[i]);
        map->changes[map->change_count++] = map->modules[i].load_clock;
        index_module(map, (uint32_t)i);
    }
    for (size_t i = 0; i < map->unload_count; i++)
        map->changes[map->change_count++] = map->unloads[i].clock;
    qsort(map->changes, map->change_count, sizeof(*map->changes), compare_clocks);
    finish_index(&map->wide);
    finish_index(&map->narrow);
}

/* Mapped at the moment, else loaded next, else gone last. */
enum presence { PRESENCE_GONE = 1, PRESENCE_COMING, PRESENCE_MAPPED };

static enum presence presence_of(const struct ts_module *module, uint64_t clock) {
    if (module->load_clock > clock)
        return PRESENCE_COMING;
    return module->unload_clock > clock ? PRESENCE_MAPPED : PRESENCE_GONE;
}

static const struct ts_module *better(const struct ts_module *a, const struct ts_module *b, uint64_t clock) {
    if (!a || !b)
        return a ? a : b;
    enum presence of_a = presence_of(a, clock);
    enum presence of_b = presence_of(b, clock);
    if (of_a != of_b)
        return of_a > of_b ? a : b;
    if (of_a == PRESENCE_COMING)
        return a->load_clock <= b->load_clock ? a : b;
    return a->load_clock >= b->load_clock ? a : b;
}

/* The best of the modules of one range, entries [first, end). */
static const struct ts_module *find_in_group(const struct ts_module_map *map, const struct index *index, size_t first,
                                             size_t end, uint64_t clock) {
    size_t low = first;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->entries[middle].load_clock <= clock)
            low = middle + 1;
        else
            high = middle;
    }
    const struct ts_module *before = low > first ? &map->modules[index->entries[low - 1].module] : NULL;
    const struct ts_module *after = low < end ? &map->modules[index->entries[low].module] : NULL;
    return better(before, after, clock);
}

static const struct ts_module *find_own(const struct ts_module_map *map, const struct index *index, uint64_t address,
                                        uint64_t clock) {
    size_t low = 0;
    size_t end = index->count;
    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (index->entries[middle].start <= address)
            low = middle + 1;
        else
            end = middle;
    }
    const struct ts_module *found = NULL;
    for (unsigned tries = 0; end > 0 && index->entries[end - 1].reach >= address && tries < OVERLAPS_MAX; tries++) {
        const struct entry *entry = &index->entries[end - 1];
        if (entry->last >= address)
            found = better(found, find_in_group(map, index, entry->group, end, clock), clock);
        end = entry->group;
    }
    return found;
}

/* Whether a child between `map` and its ancestor `owner` saw the ancestor's module go. */
static int gone_in_child(const struct ts_module_map *map, const struct ts_module_map *owner,
                         const struct ts_module *module, uint64_t clock) {
    for (; map != owner; clock = map->fork_clock, map = map->parent)
        if (unload_clock(map, module) <= clock)
            return 1;
    return 0;
}

const struct ts_module *ts_module_map_find(const struct ts_module_map *map, uint64_t address, int low_bits_only,
                                           uint64_t clock, uint64_t *full) {
    if (low_bits_only)
        address = (uint32_t)address;
    const struct ts_module *found = NULL; /* the best that is not mapped */
    const struct ts_module_map *at = map;
    uint64_t then = clock;
    for (unsigned parents = 0; at && parents < PARENTS_MAX; parents++) {
        const struct ts_module *own = find_own(at, low_bits_only ? &at->narrow : &at->wide, address, then);
        int mapped = own && presence_of(own, then) == PRESENCE_MAPPED && !gone_in_child(map, at, own, clock);
        if (mapped || !found)
            found = own;
        if (mapped)
            break;
        then = at->fork_clock;
        at = at->parent;
    }
    if (found && full)
        *full = low_bits_only ? found->low + (uint32_t)((uint32_t)address - (uint32_t)found->low) : address;
    return found;
}

uint64_t ts_module_map_next_change(const struct ts_module_map *map, uint64_t clock) {
    return ts_clock_list_next(map->changes, map->change_count, clock);
}

size_t ts_module_map_count(const struct ts_module_map *map) {
    return map->module_count;
}

const struct ts_module *ts_module_map_at(const struct ts_module_map *map, size_t index) {
    return &map->modules[index];
}
