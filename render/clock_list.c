#include "render/clock_list.h"

uint64_t ts_clock_list_next(const uint64_t *clocks, size_t count, uint64_t clock) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (clocks[middle] <= clock)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count ? clocks[low] : UINT64_MAX;
}
