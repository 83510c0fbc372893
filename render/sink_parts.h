/*
 * Sinks that can count parts of a stream apart, so that several processors decode one thread's windows at once
 * (thread_parts.h). What such a sink holds after all parts were joined is what it would hold after one replay.
 */
#ifndef TRACESHIM_RENDER_SINK_PARTS_H
#define TRACESHIM_RENDER_SINK_PARTS_H

#include "render/replay.h"

struct ts_sink_parts {
    /*
     * A sink for a part, whose context is the part; `whole` is the context of the sink that it will be joined to.
     * Called by any thread while that sink is in use: only what never changes may be read of it. First it gets the
     * calls that are open where the part begins, entered with TS_ENTER_OUTER: their times mean nothing, they count as
     * open, and those that end in the part end in it as in the whole.
     */
    struct ts_sink (*begin)(const void *whole);
    /* How many of those calls ended. */
    size_t (*outer_left)(const void *part);
    /*
     * Adds the part to the selected stream of the whole, whose open calls are those that the part began with. Frames of
     * the whole (ts_sink.frame_enter) on calls that ended in the part, and on the innermost that did not, are closed.
     */
    void (*join)(void *context, void *part);
    void (*free)(void *part);
};

/* An outer call that ended in a part: what is needed to end it in the whole. */
struct ts_outer_end {
    uint64_t end_ns;
    uint64_t in_calls; /* ns in calls that it made in this part */
    enum ts_leave_how how;
    bool failed;
};

#endif
