/* The `most` largest of many numbers: a heap with the least of them on top. */
#ifndef TRACESHIM_RENDER_LEAST_HEAP_H
#define TRACESHIM_RENDER_LEAST_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* All zero but `most` is empty. */
struct ts_least_heap {
    size_t most;
    uint64_t *values;
    size_t count;
    size_t capacity;
};

void ts_least_heap_add(struct ts_least_heap *heap, uint64_t value);
/* What is at least so large is among the largest, or equal to the least of them. 0 where there are fewer than `most`.
 */
uint64_t ts_least_heap_limit(const struct ts_least_heap *heap);
void ts_least_heap_free(struct ts_least_heap *heap);

#endif
