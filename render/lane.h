/*
 * The open calls of one stream while it is replayed, and its clock: every event goes out through here, so times of the
 * stream strictly increase and every call that was entered is left once.
 */
#ifndef TRACESHIM_RENDER_LANE_H
#define TRACESHIM_RENDER_LANE_H

#include "collector/trace_format.h"
#include "render/function_cache.h"
#include "render/replay.h"

struct ts_lane {
    uint32_t track;
    struct ts_stream *stream;
    uint32_t *entered; /* low half of each open call's clock: enough to know it again in a window's header */
    size_t depth;
    size_t capacity;
    uint64_t unknown; /* open calls below those, of which nothing is known */
    size_t inherited; /* so many of the outermost open calls came from the parent process */
    uint64_t last_ns;
};

static inline uint64_t ts_lane_depth(const struct ts_lane *lane) {
    return lane->unknown + lane->depth;
}

/* The time of the next event, moved just behind the last one where it is not later. */
static inline uint64_t ts_lane_time(struct ts_lane *lane, uint64_t ns) {
    if (__builtin_expect(ns <= lane->last_ns, 0))
        ns = lane->last_ns + 1;
    return lane->last_ns = ns;
}

void ts_lane_grow(struct ts_lane *lane);

static inline void ts_lane_enter(struct ts_lane *lane, const struct ts_sink *sink, struct ts_function *function,
                                 uint64_t clock, uint64_t ns, unsigned flags) {
    if (__builtin_expect(lane->depth == lane->capacity, 0))
        ts_lane_grow(lane);
    lane->entered[lane->depth++] = (uint32_t)clock & TS_CLOCK_FIELD;
    sink->enter(sink->context, function, ts_lane_time(lane, ns), flags);
}

/* Ends the innermost call. Returns 1 when it counts as the process's own, 0 for an inherited or unknown one or none. */
static inline int ts_lane_leave(struct ts_lane *lane, const struct ts_sink *sink, uint64_t ns, enum ts_leave_how how) {
    if (__builtin_expect(lane->depth == 0, 0)) {
        if (lane->unknown)
            lane->unknown--;
        return 0;
    }
    lane->depth--;
    sink->leave(sink->context, ts_lane_time(lane, ns), how);
    if (__builtin_expect(lane->depth < lane->inherited, 0)) {
        lane->inherited = lane->depth;
        return 0;
    }
    return 1;
}

/* Ends calls until `depth` are open. Returns how many of them were the process's own. */
uint64_t ts_lane_leave_down_to(struct ts_lane *lane, const struct ts_sink *sink, uint64_t depth, uint64_t ns,
                               enum ts_leave_how how);

/*
 * How many of the open calls are still open in a window whose header says: `depth` are open, and these are the
 * innermost `count`. `lowest` were open all along since the window before.
 */
uint64_t ts_lane_common(const struct ts_lane *lane, uint64_t depth, const struct ts_open_call *calls, uint32_t count,
                        uint64_t lowest);

#endif
