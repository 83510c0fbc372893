/*
 * Replays the recorded calls of a session into a sink: every call entered and left exactly once, properly nested.
 * Streams come one after another, grouped as in ts_session.streams, in one pass over the files; memory is bound by the
 * open calls. What the recorder could not see is repaired here, once, for every consumer:
 *   - times of a stream are CLOCK_MONOTONIC ns and strictly increase from event to event (start of a child > start of
 * its parent; end of a call > start and end of everything in it), so that viewers nest them right;
 *   - a call without an exit is left when it was unwound, or at the last known time of its thread as unfinished:
 *     where it was open when recording paused and is not known to be since, that is when the pause began;
 *   - an exit without a call is dropped (the recorder counted it);
 *   - a call has failed when its RESULT says so, or when an exception left it: it was open at a THROW and ended before
 *     the CATCH that belongs to it;
 *   - lost windows (ring mode): calls of which only the header of a later window knows begin there with their real
 * start.
 */
#ifndef TRACESHIM_RENDER_REPLAY_H
#define TRACESHIM_RENDER_REPLAY_H

#include "render/attribute.h"
#include "render/failure.h"
#include "render/session.h"

enum ts_enter_flags {
    TS_ENTER_INHERITED = 1, /* opened by the parent before fork; begins here when the child was first seen; not a call
                               of the child's own: shown, but not counted in `calls` */
    TS_ENTER_DROPPED = 2,   /* its ENTER was dropped (ring mode): start time from a window's header */
    TS_ENTER_OUTER = 4,     /* for parts of a sink alone (sink_parts.h) */
};

enum ts_leave_how {
    TS_LEAVE_EXIT = 0,
    TS_LEAVE_UNWOUND = 1,    /* longjmp, exception, pthread_exit */
    TS_LEAVE_UNFINISHED = 2, /* still open at the end of what is known */
};

/* What a moment is: a word for programs. */
enum ts_moment_kind {
    TS_MOMENT_CRASH = 0, /* a signal that ended the process */
    TS_MOMENT_THROW,
    TS_MOMENT_RETHROW,
    TS_MOMENT_CATCH,
    TS_MOMENT_TERMINATE, /* an exception that nobody catches */
    TS_MOMENT_JUMP,      /* longjmp */
    TS_MOMENT_PAUSE,     /* recording pauses: the thread's next events are not here */
    TS_MOMENT_RESUME,    /* it goes on */
    TS_MOMENT_KINDS
};

/* The strings and values live until the sink returns. */
struct ts_moment {
    enum ts_moment_kind kind;
    struct ts_function *function; /* its name, and the module where it happened */
    uint64_t ns;
    bool is_error;
    const struct ts_attribute *attributes;
    size_t attribute_count;
};

/* A call that begins or ends, and there is nothing else to tell of it. */
struct ts_call_event {
    uint64_t ns;
    uint32_t function; /* ts_function.id: such a call begins; TS_CALL_ENDS: the innermost ends, by its own exit */
};
#define TS_CALL_ENDS UINT32_MAX /* what no function's id is */

struct ts_site;
struct ts_sink_parts;

/* Any member may be NULL. `context` is the caller's. */
struct ts_sink {
    void *context;
    /* The following enter and leave belong to this stream. Comes again at every switch between tracks of a thread. */
    void (*select)(void *context, struct ts_stream *stream);
    void (*enter)(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags);
    void (*leave)(void *context, uint64_t end_ns, enum ts_leave_how how);
    /*
     * Several of those two in a row, at least one, each in place of an enter without flags or a leave by TS_LEAVE_EXIT:
     * a sink that does little for an event can keep what it works on in registers. One without it is told one by one.
     */
    void (*calls)(void *context, const struct ts_call_event *events, size_t count);
    /* `count` outer calls are unknown (their records were dropped and no header names them); before the first enter. */
    void (*outer_unknown)(void *context, uint64_t count);
    /* Every event of this stream has been delivered and every call left. */
    void (*finish)(void *context, struct ts_stream *stream);
    /*
     * Of the innermost open call: arguments after its enter, results before its leave. The key lives as long as the
     * session; what the value points to only until this returns.
     */
    void (*attribute)(void *context, const struct ts_attribute *attribute);
    /* Where the innermost open call was made (render/sites.h), after its enter; not for every call is it known. */
    void (*site)(void *context, struct ts_site *site);
    /*
     * A caller of the calls that follow, known from their stack alone, in the innermost open call or frame: it has no
     * times. Left before what it lies in is. Both or none; a sink without them is told by the attribute `caller`.
     */
    void (*frame_enter)(void *context, struct ts_function *function);
    void (*frame_leave)(void *context);
    /* Something happened to this stream's thread, in the innermost open call if there is one. */
    void (*moment)(void *context, const struct ts_moment *moment);
    /* The innermost open call has failed: its leave comes next. At most once for a call. */
    void (*failure)(void *context, const struct ts_failure *failure);
    /* How parts of the replay may be counted apart; NULL: not at all. */
    const struct ts_sink_parts *parts;
};

/*
 * Calls the sink for the whole session. `stop` may be NULL; where it is not, the replay ends early (all calls left as
 * unfinished) soon after *stop is non-zero: a sink that has seen enough sets it, and is still called some hundred
 * times. Fills session->totals.
 */
void ts_replay(struct ts_session *session, const struct ts_sink *sink, const volatile int *stop);

/* Upper bound of the session's calls without decoding them, from the windows' sizes: for "is this too large?". */
uint64_t ts_replay_estimate_calls(const struct ts_session *session);

#endif
