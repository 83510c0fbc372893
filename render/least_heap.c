#include "render/least_heap.h"

#include "render/memory.h"

#include <stdlib.h>

static void sift_up(uint64_t *values, size_t at) {
    uint64_t value = values[at];
    for (; at > 0 && values[(at - 1) / 2] > value; at = (at - 1) / 2)
        values[at] = values[(at - 1) / 2];
    values[at] = value;
}

static void sift_down(uint64_t *values, size_t count) {
    uint64_t value = values[0];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && values[child + 1] < values[child])
            child++;
        if (values[child] >= value)
            break;
        values[at] = values[child];
    }
    values[at] = value;
}

void ts_least_heap_add(struct ts_least_heap *heap, uint64_t value) {
    if (heap->count < heap->most) {
        heap->values = ts_memory_grow(heap->values, &heap->capacity, heap->count + 1, sizeof *heap->values);
        heap->values[heap->count++] = value;
        sift_up(heap->values, heap->count - 1);
    } else if (heap->most && value > heap->values[0]) {
        heap->values[0] = value;
        sift_down(heap->values, heap->count);
    }
}

uint64_t ts_least_heap_limit(const struct ts_least_heap *heap) {
    return heap->most && heap->count == heap->most ? heap->values[0] : 0;
}

void ts_least_heap_free(struct ts_least_heap *heap) {
    free(heap->values);
    *heap = (struct ts_least_heap){0};
}
