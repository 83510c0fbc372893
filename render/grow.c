#include "render/grow.h"

#include <stdlib.h>

void *ts_grow(void *array, size_t *capacity, size_t need, size_t item_bytes) {
    if (array && need <= *capacity)
        return array;
    size_t wanted = *capacity < 8 ? 16 : *capacity;
    while (wanted < need) {
        if (__builtin_mul_overflow(wanted, 2, &wanted))
            return NULL;
    }
    void *grown = reallocarray(array, wanted, item_bytes);
    if (grown)
        *capacity = wanted;
    return grown;
}
