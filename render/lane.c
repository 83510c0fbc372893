#include "render/lane.h"

#include "render/memory.h"

#include <stdlib.h>

void ts_lane_grow(struct ts_lane *lane, size_t need) {
    lane->calls = ts_memory_grow(lane->calls, &lane->capacity, need, sizeof(*lane->calls));
}

static void free_texts(struct ts_thrown *thrown) {
    free(thrown->type);
    free(thrown->message);
    free(thrown->stack);
}

void ts_lane_free(struct ts_lane *lane) {
    ts_lane_forget_throws(lane);
    free(lane->calls);
    free(lane->thrown);
    free(lane->frames);
    free(lane);
}

static struct ts_thrown *newest_throw(const struct ts_lane *lane) {
    return lane->throw_count ? &lane->thrown[lane->throw_count - 1] : NULL;
}

void ts_lane_watch(struct ts_lane *lane) {
    const struct ts_thrown *newest = newest_throw(lane);
    size_t framed = lane->frame_count ? lane->frames[lane->frame_count - 1].depth : 0;
    lane->watched = newest && newest->open > lane->inherited ? newest->open : lane->inherited;
    if (lane->watched < framed)
        lane->watched = framed;
}

/* Calls beyond `depth` are no longer open: a new one there was not open at the throw. */
static void lower_throw(struct ts_lane *lane, size_t depth) {
    struct ts_thrown *newest = newest_throw(lane);
    if (newest && newest->open > depth)
        newest->open = depth;
}

/* Far more than are on their way at once in a program; what catches one looks among them. */
#define THROWN_MOST 1024u

void ts_lane_throw(struct ts_lane *lane, const struct ts_thrown *thrown) {
    if (lane->throw_count == THROWN_MOST) /* damage, or catches that nobody told of */
        ts_lane_forget_throws(lane);
    lane->thrown = ts_memory_grow(lane->thrown, &lane->throw_capacity, lane->throw_count + 1, sizeof(*lane->thrown));
    lane->thrown[lane->throw_count] = *thrown;
    lane->thrown[lane->throw_count++].open = lane->depth;
    ts_lane_watch(lane);
}

const struct ts_thrown *ts_lane_thrown(const struct ts_lane *lane, uint64_t header) {
    for (size_t i = lane->throw_count; header && i-- > 0;)
        if (lane->thrown[i].header == header)
            return &lane->thrown[i];
    return newest_throw(lane);
}

void ts_lane_catch(struct ts_lane *lane, uint64_t header) {
    const struct ts_thrown *caught = ts_lane_thrown(lane, header);
    if (!caught)
        return;
    for (int last = 0; !last;) {
        struct ts_thrown *newest = newest_throw(lane);
        last = newest == caught;
        size_t still_open = newest->open;
        free_texts(newest);
        lane->throw_count--;
        lower_throw(lane, still_open);
    }
    ts_lane_watch(lane);
}

void ts_lane_forget_throws(struct ts_lane *lane) {
    for (size_t i = 0; i < lane->throw_count; i++)
        free_texts(&lane->thrown[i]);
    lane->throw_count = 0;
    ts_lane_watch(lane);
}

void ts_lane_inherit(struct ts_lane *lane, size_t count) {
    lane->inherited = count;
    ts_lane_watch(lane);
}

void ts_lane_fail(struct ts_lane *lane, const struct ts_sink *sink, const struct ts_failure *failure) {
    ts_lane_leave_frames(lane, sink);
    sink->failure(sink->context, failure);
    lower_throw(lane, lane->depth - 1); /* it is not told twice */
}

/* The innermost call is left by an exception: by this one; NULL: nothing is known of it. */
static void fail_by(const struct ts_thrown *thrown, const struct ts_sink *sink) {
    struct ts_failure failure = ts_failure_exception;
    if (thrown) {
        failure.exception_type = thrown->type;
        failure.exception_message = thrown->message;
    }
    if (sink->attribute && failure.exception_type)
        sink->attribute(sink->context,
                        &(struct ts_attribute){"exception.type", ts_value_string(failure.exception_type)});
    if (sink->attribute && failure.exception_message)
        sink->attribute(sink->context,
                        &(struct ts_attribute){"exception.message", ts_value_string(failure.exception_message)});
    sink->failure(sink->context, &failure);
}

int ts_lane_leave_watched(struct ts_lane *lane, const struct ts_sink *sink, uint64_t ns, enum ts_leave_how how) {
    ts_lane_close_frames(lane, sink);
    const struct ts_thrown *newest = newest_throw(lane);
    if (newest && newest->open > lane->depth && how == TS_LEAVE_EXIT)
        fail_by(newest, sink);
    lower_throw(lane, lane->depth);
    int is_own = lane->depth >= lane->inherited;
    if (!is_own)
        lane->inherited = lane->depth;
    ts_lane_watch(lane);
    sink->leave(sink->context, ts_lane_time(lane, ns), how);
    return is_own;
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

/*
 * Without a reason (the recorder found the frames gone) an exception that is on its way is the reason. A jump out of a
 * handler that runs meanwhile is none.
 */
struct ts_unwound ts_lane_unwind(struct ts_lane *lane, const struct ts_sink *sink, uint64_t depth, uint64_t ns,
                                 uint32_t reason) {
    struct ts_unwound unwound = {0, 0};
    while (lane->depth && ts_lane_depth(lane) > depth) {
        const struct ts_thrown *newest = newest_throw(lane);
        if (newest && newest->open < lane->depth)
            newest = NULL;
        int thrown = reason == TS_UNWIND_EXCEPTION || (reason == TS_UNWIND_UNKNOWN && newest);
        if (thrown) {
            fail_by(newest, sink);
            lower_throw(lane, lane->depth - 1);
        }
        int is_own = ts_lane_leave(lane, sink, ns, TS_LEAVE_UNWOUND);
        unwound.own += (uint64_t)is_own;
        unwound.by_exception += (uint64_t)(is_own && thrown);
    }
    unwound.own += ts_lane_leave_down_to(lane, sink, depth, ns, TS_LEAVE_UNWOUND);
    return unwound;
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
    while (at < both && lane->calls[at - lane->unknown].clock == ((uint32_t)calls[at - outer].clock & TS_CLOCK_FIELD))
        at++;
    return at > first ? at : smaller(first, lowest);
}
