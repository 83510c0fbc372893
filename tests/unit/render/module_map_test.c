/* Addresses to modules over time. Cannot find: LOAD records that the recorder never wrote. */
#include "collector/trace_format.h"
#include "render/module_map.h"

#include <criterion/criterion.h>

static struct ts_object objects[8];

static void load(struct ts_module_map *map, uint64_t clock, uint64_t low, uint64_t bytes, uint32_t generation,
                 uint32_t flags, int object) {
    ts_module_map_load(map, &(struct ts_module){.low = low,
                                                .high = low + bytes,
                                                .bias = low,
                                                .load_clock = clock,
                                                .generation = generation,
                                                .flags = flags,
                                                .object = &objects[object]});
}

/* Number of the object at this address and moment, -1: none. */
static int find(const struct ts_module_map *map, uint64_t address, int low_bits_only, uint64_t clock) {
    uint64_t full = 0;
    const struct ts_module *module = ts_module_map_find(map, address, low_bits_only, clock, &full);
    if (!module)
        return -1;
    cr_assert_geq(full, module->low);
    cr_assert_lt(full, module->high);
    cr_assert_eq((uint32_t)full, (uint32_t)address);
    return (int)(module->object - objects);
}

Test(module_map, finds_by_all_bits_and_by_the_low_ones) {
    struct ts_module_map *map = ts_module_map_new();
    load(map, 0, UINT64_C(0x555500001000), 0x1000, 1, 0, 1);
    load(map, 0, UINT64_C(0x7f0000004000), 0x1000, 2, 0, 2);
    ts_module_map_finish(map);
    cr_assert_eq(find(map, UINT64_C(0x555500001fff), 0, 5), 1);
    cr_assert_eq(find(map, UINT64_C(0x555500002000), 0, 5), -1);
    cr_assert_eq(find(map, UINT64_C(0x7f0000004000), 0, 5), 2);
    cr_assert_eq(find(map, 0x1800, 1, 5), 1);
    cr_assert_eq(find(map, 0x4fff, 1, 5), 2);
    cr_assert_eq(find(map, 0x5000, 1, 5), -1);
    cr_assert_eq(find(map, 0x1800, 0, 5), -1);
    ts_module_map_free(map);
}

Test(module_map, range_around_the_end_of_32_bits) {
    struct ts_module_map *map = ts_module_map_new();
    load(map, 0, UINT64_C(0x7f00fffff000), 0x3000, 1, 0, 1);
    ts_module_map_finish(map);
    cr_assert_eq(find(map, 0xfffff010, 1, 5), 1);
    cr_assert_eq(find(map, 0x00001fff, 1, 5), 1);
    cr_assert_eq(find(map, 0x00002000, 1, 5), -1);
    cr_assert_eq(find(map, 0xffffefff, 1, 5), -1);
    ts_module_map_free(map);
}

Test(module_map, wide_module_is_never_meant_by_low_bits) {
    struct ts_module_map *map = ts_module_map_new();
    load(map, 0, UINT64_C(0x555500001000), 0x1000, 1, 0, 1);
    load(map, 1, UINT64_C(0x7f0000001000), 0x1000, 2, TS_LOAD_WIDE, 2);
    ts_module_map_finish(map);
    cr_assert_eq(find(map, 0x1800, 1, 5), 1);
    cr_assert_eq(find(map, UINT64_C(0x7f0000001800), 0, 5), 2);
    ts_module_map_free(map);
}

Test(module_map, one_address_over_time) {
    struct ts_module_map *map = ts_module_map_new();
    load(map, 10, 0x1000, 0x1000, 1, 0, 1);
    ts_module_map_unload(map, 1, 0x1000, 20);
    load(map, 30, 0x1000, 0x2000, 2, 0, 2);
    ts_module_map_unload(map, 2, 0x1000, 40);
    ts_module_map_finish(map);
    cr_assert_eq(find(map, 0x1800, 1, 5), 1, "a constructor runs before its LOAD is written");
    cr_assert_eq(find(map, 0x1800, 1, 15), 1);
    cr_assert_eq(find(map, 0x1800, 1, 25), 2, "coming wins over gone");
    cr_assert_eq(find(map, 0x1800, 1, 35), 2);
    cr_assert_eq(find(map, 0x1800, 1, 45), 2, "the last one before");
    cr_assert_eq(ts_module_map_next_change(map, 0), 10);
    cr_assert_eq(ts_module_map_next_change(map, 20), 30);
    cr_assert_eq(ts_module_map_next_change(map, 40), UINT64_MAX);
    ts_module_map_free(map);
}

Test(module_map, later_load_wins_where_the_unload_was_not_seen) {
    struct ts_module_map *map = ts_module_map_new();
    load(map, 10, 0x1000, 0x1000, 1, 0, 1);
    load(map, 30, 0x0800, 0x4000, 2, 0, 2);
    ts_module_map_finish(map);
    cr_assert_eq(find(map, 0x1800, 1, 20), 1);
    cr_assert_eq(find(map, 0x1800, 1, 30), 2);
    ts_module_map_free(map);
}

Test(module_map, many_loads_and_unloads_of_one_range) {
    struct ts_module_map *map = ts_module_map_new();
    for (uint32_t i = 0; i < 20000; i++) {
        load(map, 10 * i + 10, 0x1000, 0x1000, i + 1, 0, (int)(i % 8));
        ts_module_map_unload(map, i + 1, 0x1000, 10 * i + 15);
    }
    ts_module_map_finish(map);
    for (uint32_t i = 0; i < 20000; i++) {
        cr_assert_eq(find(map, 0x1800, 1, 10 * i + 12), (int)(i % 8));
        if (i + 1 < 20000)
            cr_assert_eq(find(map, 0x1800, 1, 10 * i + 17), (int)((i + 1) % 8));
    }
    ts_module_map_free(map);
}

Test(module_map, child_sees_what_the_parent_had_at_fork) {
    struct ts_module_map *parent = ts_module_map_new();
    load(parent, 10, 0x1000, 0x1000, 1, 0, 1);
    load(parent, 10, 0x3000, 0x1000, 2, 0, 2);
    ts_module_map_unload(parent, 2, 0x3000, 50);
    load(parent, 60, 0x3000, 0x1000, 3, 0, 3);
    struct ts_module_map *child = ts_module_map_new();
    ts_module_map_inherit(child, parent, 40);
    load(child, 80, 0x5000, 0x1000, 3, 0, 4);
    ts_module_map_unload(child, 1, 0x1000, 90);
    load(child, 95, 0x1000, 0x1000, 4, 0, 5);
    ts_module_map_finish(parent);
    ts_module_map_finish(child);
    cr_assert_eq(find(child, 0x3800, 1, 100), 2, "not what the parent loaded later");
    cr_assert_eq(find(parent, 0x3800, 1, 100), 3);
    cr_assert_eq(find(child, 0x5800, 1, 100), 4);
    cr_assert_eq(find(parent, 0x5800, 1, 100), -1);
    cr_assert_eq(find(child, 0x1800, 1, 85), 1);
    cr_assert_eq(find(child, 0x1800, 1, 96), 5);
    ts_module_map_free(child);
    ts_module_map_free(parent);
}

Test(module_map, grandchild_sees_through_a_parent_without_modules_of_its_own) {
    enum { GENERATIONS = 5000 };
    static struct ts_module_map *maps[GENERATIONS];
    maps[0] = ts_module_map_new();
    load(maps[0], 10, 0x1000, 0x1000, 1, 0, 1);
    load(maps[0], 100, 0x3000, 0x1000, 2, 0, 2);
    ts_module_map_finish(maps[0]);
    for (uint64_t i = 1; i < GENERATIONS; i++) {
        maps[i] = ts_module_map_new();
        ts_module_map_inherit(maps[i], maps[i - 1], 50 + i);
        ts_module_map_finish(maps[i]);
    }
    cr_assert_eq(find(maps[GENERATIONS - 1], 0x1800, 1, UINT64_MAX), 1);
    cr_assert_eq(find(maps[GENERATIONS - 1], 0x3800, 1, UINT64_MAX), 2, "not mapped at the fork; told all the same");
    for (size_t i = 0; i < GENERATIONS; i++)
        ts_module_map_free(maps[i]);
}

Test(module_map, absurd_ranges_are_no_modules) {
    struct ts_module_map *map = ts_module_map_new();
    load(map, 0, 0x2000, 0, 1, 0, 1);
    load(map, 0, 0x1000, UINT64_C(1) << 40, 2, 0, 1);
    ts_module_map_load(map, &(struct ts_module){.low = UINT64_MAX - 10, .high = 5, .object = &objects[1]});
    ts_module_map_finish(map);
    cr_assert_eq(ts_module_map_count(map), 0);
    cr_assert_eq(find(map, 0x2000, 1, 5), -1);
    ts_module_map_free(map);
}
