/* Frames of a lane that are known from stacks alone. */
#include "render/lane.h"

#include "render/memory.h"

/* The frames that lie directly on the innermost open call: where they begin. */
static size_t first_on_top(const struct ts_lane *lane) {
    size_t first = lane->frame_count;
    while (first > 0 && lane->frames[first - 1].depth >= lane->depth)
        first--;
    return first;
}

static void close_down_to(struct ts_lane *lane, const struct ts_sink *sink, size_t count) {
    while (lane->frame_count > count) {
        lane->frame_count--;
        sink->frame_leave(sink->context);
    }
}

void ts_lane_close_frames(struct ts_lane *lane, const struct ts_sink *sink) {
    size_t count = lane->frame_count;
    while (count > 0 && lane->frames[count - 1].depth > lane->depth)
        count--;
    close_down_to(lane, sink, count);
}

void ts_lane_set_frames(struct ts_lane *lane, const struct ts_sink *sink, const struct ts_lane_frame *frames,
                        size_t count) {
    size_t first = first_on_top(lane), same = 0;
    while (same < count && first + same < lane->frame_count &&
           lane->frames[first + same].function == frames[same].function &&
           lane->frames[first + same].outer == frames[same].outer &&
           lane->frames[first + same].inlined == frames[same].inlined)
        same++;
    close_down_to(lane, sink, first + same);
    for (; same < count; same++) {
        lane->frames = ts_memory_grow(lane->frames, &lane->frame_capacity, lane->frame_count + 1, sizeof *lane->frames);
        lane->frames[lane->frame_count] = frames[same];
        lane->frames[lane->frame_count++].depth = lane->depth;
        sink->frame_enter(sink->context, frames[same].function);
    }
    ts_lane_watch(lane);
}
