/*
 * What happens to a thread between its calls, from level 3 on: exceptions thrown and caught and jumps, which are
 * moments in the innermost open call, and signals, which are calls around their handlers'.
 *
 *     throw [exception.type='std::runtime_error', exception.message='deep', from='frame5', at='a.cc:7']  also rethrow
 *     catch [exception.type='std::runtime_error', in='main', at='a.cc:20']
 *     terminate [ERROR] [exception.type=..., exception.message=..., stack='frame5 at a.cc:7 < main']  nobody catches it
 *     longjmp [value=1, from='inner', at='a.c:7', left=['inner', 'outer']]  the calls that it left, the innermost first
 *     SIGUSR1 {app} [handler='on_signal', code=SI_USER, sender=123]       a span
 */
#ifndef TRACESHIM_RENDER_THREAD_EVENTS_H
#define TRACESHIM_RENDER_THREAD_EVENTS_H

#include "render/lane.h"
#include "render/thread_replay.h"

/* Records as in collector/trace_format.h, checked against `end`; their times, and the stack that they stand on. */
struct ts_event {
    const uint32_t *at;
    const uint32_t *end;
    const uint32_t *stack; /* the STACK behind it; NULL: none */
    uint64_t clock;
    uint64_t ns;
};

/* EXCEPTION_THROW and EXCEPTION_CATCH of any level. */
void ts_event_throw(struct ts_replay *replay, struct ts_lane *lane, const struct ts_event *event);
/* Whether the catch is that of the run-time library, which ends the program. */
bool ts_event_ends_program(struct ts_replay *replay, const struct ts_event *event);
void ts_event_catch(struct ts_replay *replay, struct ts_lane *lane, const struct ts_event *event);

/*
 * What a signal that ended the process has to do with exceptions: one that nobody caught ends it by SIGABRT. Returns
 * how many attributes, TS_EVENT_FATAL_MOST at most; their texts belong to the replay.
 */
#define TS_EVENT_FATAL_MOST 3
size_t ts_event_fatal(const struct ts_replay *replay, uint32_t signal, struct ts_attribute *attributes);
/* A thread begins. */
void ts_event_forget(struct ts_replay *replay);

/*
 * A JUMP that has not been told yet: what follows it tells what it left. Its stack is the newest that replay->callers
 * knows of. All zero: there is none.
 */
struct ts_jump {
    struct ts_record_jump record;
    struct ts_lane *lane;
    struct ts_site *site; /* NULL: not known */
    uint64_t clock;
    uint64_t ns;
};
/* JUMP. */
void ts_event_jump(struct ts_replay *replay, struct ts_jump *jump, struct ts_lane *lane, const struct ts_event *event);
/* Tells it, if there is one, as the records from `at` on say: an UNWIND, or what else the thread did; none: its end. */
void ts_event_tell_jump(struct ts_replay *replay, struct ts_jump *jump, const struct ts_lane *lane, const uint32_t *at,
                        const uint32_t *end);

/* An ENTER_WIDE of a stub that stands for a handler: what the call is shown as, and then what is told of it. */
struct ts_function *ts_event_signal(struct ts_replay *replay, struct ts_function *stub, const struct ts_event *event);
void ts_event_signal_tell(struct ts_replay *replay, struct ts_function *signal, const struct ts_event *event);

/* Recording of the thread pauses, or goes on. */
void ts_event_pause(struct ts_replay *replay, struct ts_lane *lane, enum ts_moment_kind kind, uint64_t ns);

#endif
