/*
 * Which module lay at an address at a moment: the modules of one process over time. A forked child sees those that its
 * parent had when it was forked, by reference.
 */
#ifndef TRACESHIM_RENDER_MODULE_MAP_H
#define TRACESHIM_RENDER_MODULE_MAP_H

#include "render/functions.h"

struct ts_module {
    uint64_t low; /* run-time addresses [low, high) */
    uint64_t high;
    uint64_t bias; /* run-time address = bias + address in the file */
    uint64_t load_clock;
    uint64_t unload_clock; /* UINT64_MAX: not seen */
    uint32_t generation;   /* of its LOAD record */
    uint32_t flags;        /* enum ts_load_flags */
    struct ts_object *object;
};

struct ts_module_map;

struct ts_module_map *ts_module_map_new(void);
/* A forked child: the modules of `parent`, which must outlive `map`, are seen as they were at `fork_clock`. No cycles.
 */
void ts_module_map_inherit(struct ts_module_map *map, const struct ts_module_map *parent, uint64_t fork_clock);
void ts_module_map_free(struct ts_module_map *map);

/* Building: in any order. A range that is empty, or larger than 4 GiB, is no module and is ignored. */
void ts_module_map_load(struct ts_module_map *map, const struct ts_module *module);
void ts_module_map_unload(struct ts_module_map *map, uint32_t generation, uint64_t low, uint64_t clock);
/* After the last load and unload, before the first question, and after the parent's. */
void ts_module_map_finish(struct ts_module_map *map);

/*
 * The module that a call lies in. Where none was mapped at `clock`, the next one that was (a constructor runs before
 * its LOAD record is written), else the last one before. NULL: none ever.
 * `address` holds all bits, or only the low 32 with `low_bits_only`: then modules marked WIDE are not meant, and the
 * full address is put into *full.
 */
const struct ts_module *ts_module_map_find(const struct ts_module_map *map, uint64_t address, int low_bits_only,
                                           uint64_t clock, uint64_t *full);

/* The first clock after `clock` at which the map changes; UINT64_MAX: never. */
uint64_t ts_module_map_next_change(const struct ts_module_map *map, uint64_t clock);

/* Its own modules, by load clock; not those of the parent. */
size_t ts_module_map_count(const struct ts_module_map *map);
const struct ts_module *ts_module_map_at(const struct ts_module_map *map, size_t index);

#endif
