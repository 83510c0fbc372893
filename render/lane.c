#include "render/lane.h"

#include "render/memory.h"

void ts_lane_grow(struct ts_lane *lane) {
    lane->entered = ts_memory_grow(lane->entered, &lane->capacity, lane->depth + 1, sizeof(*lane->entered));
}

uint64_t ts_lane_leave_down_to(struct ts_lane *lane, const struct ts_sink *sink, uint64_t depth, uint64_t ns,
                               enum ts_leave_how how) {
    uint64_t own = 0;
    while (lane->depth && ts_lane_depth(lane) > depth)
        own += (uint64_t)ts_lane_leave(lane, sink, ns, how);
    if (lane->depth == 0 && lane->unknown > depth)
        lane->unknown = depth;
    return own;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t ts_lane_common(const struct ts_lane *lane, uint64_t depth, const struct ts_open_call *calls, uint32_t count,
                        uint64_t lowest) {
    uint64_t outer = depth - count;
    uint64_t both = smaller(depth, ts_lane_depth(lane));
    uint64_t first = outer > lane->unknown ? outer : lane->unknown;
    if (first >= both) /* no call that both can name */
        return smaller(both, lowest);
    uint64_t at = first;
    while (at < both && lane->entered[at - lane->unknown] == ((uint32_t)calls[at - outer].clock & TS_CLOCK_FIELD))
        at++;
    return at > first ? at : smaller(first, lowest);
}
