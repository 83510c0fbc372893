/*
 * The open calls of one stream while it is replayed, and its clock: every event goes out through here, so times of the
 * stream strictly increase and every call that was entered is left once.
 */
#ifndef TRACESHIM_RENDER_LANE_H
#define TRACESHIM_RENDER_LANE_H

#include "collector/trace_format.h"
#include "render/function_cache.h"
#include "render/replay.h"

struct ts_lane_call {
    uint32_t clock;    /* low half: enough to know the call again in a window's header */
    uint32_t function; /* ts_function.id */
};

/* An exception on its way. */
struct ts_thrown {
    size_t open;     /* how many of the calls that were open at its throw still are, as far as is known */
    uint64_t header; /* tells it from others; 0: not known */
    char *type;      /* as a person reads it; NULL: not known */
    char *message;   /* NULL: none */
    char *stack;     /* that threw it, as a person reads it; NULL: not known */
};

/* A function that is known to be open from the stack of a call alone. */
struct ts_lane_frame {
    struct ts_function *function;
    uint64_t outer;   /* tells calls of one function apart: identity of the frame that it was called from */
    uint32_t inlined; /* so many functions of that frame lie around it */
    size_t depth;     /* calls that are open below it */
};

struct ts_lane {
    uint32_t track;
    struct ts_stream *stream;
    struct ts_lane_call *calls; /* open ones */
    size_t depth;
    size_t capacity;
    uint64_t unknown; /* open calls below those, of which nothing is known */
    size_t inherited; /* so many of the outermost open calls came from the parent process */
    /* So many of the outermost open calls need a look when they end: inherited, open at a throw, or with frames. */
    size_t watched;
    struct ts_lane_frame *frames; /* the outermost first; depths do not fall */
    size_t frame_count;
    size_t frame_capacity;
    struct ts_thrown *thrown; /* the newest last; an older one's open calls are no more than a newer one's */
    size_t throw_count;
    size_t throw_capacity;
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

/* Room for so many calls. */
void ts_lane_grow(struct ts_lane *lane, size_t need);
/* After what `watched` depends on has changed. */
void ts_lane_watch(struct ts_lane *lane);
void ts_lane_free(struct ts_lane *lane);

/* Names the call that began where `depth` calls were open. Calls that began further out come before it. */
static inline void ts_lane_set_call(struct ts_lane *lane, size_t depth, uint64_t clock, uint32_t function) {
    if (__builtin_expect(depth >= lane->capacity, 0))
        ts_lane_grow(lane, depth + 1);
    lane->calls[depth] = (struct ts_lane_call){(uint32_t)clock & TS_CLOCK_FIELD, function};
}

static inline void ts_lane_enter(struct ts_lane *lane, const struct ts_sink *sink, struct ts_function *function,
                                 uint64_t clock, uint64_t ns, unsigned flags) {
    ts_lane_set_call(lane, lane->depth++, clock, function->id);
    sink->enter(sink->context, function, ts_lane_time(lane, ns), flags);
}

/* For ts_lane_leave: what ends is a watched call; `depth` no longer counts it. */
int ts_lane_leave_watched(struct ts_lane *lane, const struct ts_sink *sink, uint64_t ns, enum ts_leave_how how);

/* Ends the innermost call. Returns 1 when it counts as the process's own, 0 for an inherited or unknown one or none. */
static inline int ts_lane_leave(struct ts_lane *lane, const struct ts_sink *sink, uint64_t ns, enum ts_leave_how how) {
    if (__builtin_expect(lane->depth == 0, 0)) {
        if (lane->unknown)
            lane->unknown--;
        return 0;
    }
    lane->depth--;
    if (__builtin_expect(lane->depth < lane->watched, 0))
        return ts_lane_leave_watched(lane, sink, ns, how);
    sink->leave(sink->context, ts_lane_time(lane, ns), how);
    return 1;
}

/* Ends calls until `depth` are open. Returns how many of them were the process's own. */
uint64_t ts_lane_leave_down_to(struct ts_lane *lane, const struct ts_sink *sink, uint64_t depth, uint64_t ns,
                               enum ts_leave_how how);

struct ts_unwound {
    uint64_t own;          /* calls, of the process's own */
    uint64_t by_exception; /* so many of them */
};

/* As ts_lane_leave_down_to, for calls that ended without an exit. `reason`: enum ts_unwind_reason. */
struct ts_unwound ts_lane_unwind(struct ts_lane *lane, const struct ts_sink *sink, uint64_t depth, uint64_t ns,
                                 uint32_t reason);

/* The innermost call, of which something is known, has failed; it ends next. */
void ts_lane_fail(struct ts_lane *lane, const struct ts_sink *sink, const struct ts_failure *failure);

/* So many of the outermost open calls, which must all be known, came from the parent process. */
void ts_lane_inherit(struct ts_lane *lane, size_t count);

/*
 * The frames between the innermost open call and the one that is entered next, the outermost first: those that are
 * open already stay so. For a sink with frame_enter and frame_leave only.
 */
void ts_lane_set_frames(struct ts_lane *lane, const struct ts_sink *sink, const struct ts_lane_frame *frames,
                        size_t count);
/* Closes those on the innermost open call: something is told of it next. */
static inline void ts_lane_leave_frames(struct ts_lane *lane, const struct ts_sink *sink) {
    if (__builtin_expect(lane->frame_count != 0, 0))
        ts_lane_set_frames(lane, sink, NULL, 0);
}
/* Closes those on calls that are no longer open. */
void ts_lane_close_frames(struct ts_lane *lane, const struct ts_sink *sink);

/* An exception is on its way. Takes the texts, which may be NULL. Its `open` is set here. */
void ts_lane_throw(struct ts_lane *lane, const struct ts_thrown *thrown);
/* The one with this header; where there is none such, the newest; NULL: none is on its way. */
const struct ts_thrown *ts_lane_thrown(const struct ts_lane *lane, uint64_t header);
/* That one has arrived; those thrown after it are not on their way any more. */
void ts_lane_catch(struct ts_lane *lane, uint64_t header);
/* Nothing is known of any. */
void ts_lane_forget_throws(struct ts_lane *lane);

/*
 * How many of the open calls are still open in a window whose header says: `depth` are open, and these are the
 * innermost `count`. `lowest` were open all along since the window before.
 */
uint64_t ts_lane_common(const struct ts_lane *lane, uint64_t depth, const struct ts_open_call *calls, uint32_t count,
                        uint64_t lowest);

#endif
