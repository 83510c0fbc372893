/*
 * Which hooked function a stub stands for at a moment: the HOOK records of one process over time. A forked child sees
 * those that its parent had when it was forked, by reference.
 */
#ifndef TRACESHIM_RENDER_HOOK_MAP_H
#define TRACESHIM_RENDER_HOOK_MAP_H

#include "render/functions.h"

struct ts_hook_map;

struct ts_hook_map *ts_hook_map_new(void);
void ts_hook_map_free(struct ts_hook_map *map);

/* Building: hooks in any order; then once finish, after the parent's. `parent` may be NULL; it must outlive `map`. */
void ts_hook_map_add(struct ts_hook_map *map, uint64_t stub, uint64_t clock, struct ts_function *function);
void ts_hook_map_finish(struct ts_hook_map *map, const struct ts_hook_map *parent, uint64_t fork_clock);

/*
 * The function that calls of this stub go to: by the newest record that is not later than `clock`, else by the first
 * one later (a call may be recorded a moment before its hook). NULL: the address is no stub. `address` holds all bits,
 * or only the low 32 with `low_bits_only`.
 */
struct ts_function *ts_hook_map_find(const struct ts_hook_map *map, uint64_t address, int low_bits_only,
                                     uint64_t clock);

/* The first clock after `clock` at which the map changes; UINT64_MAX: never. */
uint64_t ts_hook_map_next_change(const struct ts_hook_map *map, uint64_t clock);

/* Its own hooks, without the parent's, by stub and clock. */
size_t ts_hook_map_count(const struct ts_hook_map *map);
struct ts_function *ts_hook_map_at(const struct ts_hook_map *map, size_t index);

#endif
