/* Growable arrays: the one way the renderer makes room for data whose amount it does not know. */
#ifndef TRACESHIM_RENDER_GROW_H
#define TRACESHIM_RENDER_GROW_H

#include <stddef.h>

/*
 * Returns `array` with room for at least `need` items, moved where it had to grow (by doubling; new items are not
 * initialised), and updates *capacity. NULL when memory is exhausted or the size overflows: then `array` is unchanged
 * and still the caller's.
 */
void *ts_grow(void *array, size_t *capacity, size_t need, size_t item_bytes);

#endif
