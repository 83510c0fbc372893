#include "render/thread_record.h"

#include "render/record.h"
#include "render/session_private.h"
#include "render/thread_events.h"

/* The clock that a tagged record carries; it says all bits, but only a TIME record moves `newest` by them. */
static uint64_t full_clock(struct ts_thread_replay *thread, struct ts_u64 field) {
    uint64_t clock = ts_record_u64(field);
    if (!ts_record_time_holds(clock, thread->window_clock))
        return thread->newest;
    if (clock > thread->newest)
        thread->newest = clock;
    return clock;
}

/* Of a record that begins as a ts_record_time. */
static struct ts_event event_of(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end) {
    uint64_t clock = full_clock(thread, ((const struct ts_record_time *)(const void *)at)->clock);
    return (struct ts_event){.at = at,
                             .end = end,
                             .stack = ts_callers_stack(end, thread->replay->window.end),
                             .clock = clock,
                             .ns = ts_thread_replay_ns(thread, clock)};
}

/* What the record at `behind` tells of the call that is entered next, if it is one that does. */
static struct ts_site *before_call(struct ts_thread_replay *thread, const uint32_t *behind, uint64_t clock) {
    struct ts_replay *replay = thread->replay;
    return ts_callers_before(replay->callers, thread->lane, &replay->sink,
                             ts_callers_tell(behind, replay->window.end) ? behind : NULL, replay->cache, clock,
                             replay->totals);
}

static void after_call(struct ts_thread_replay *thread, struct ts_site *site) {
    ts_callers_after(thread->replay->callers, site, &thread->replay->sink);
}

void ts_thread_record_enter_told(struct ts_thread_replay *thread, struct ts_function *function, const uint32_t *behind,
                                 uint64_t clock) {
    struct ts_site *site = before_call(thread, behind, clock);
    ts_lane_enter(thread->lane, &thread->replay->sink, function, clock, ts_thread_replay_ns(thread, clock), 0);
    after_call(thread, site);
}

static void enter_wide(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end) {
    struct ts_replay *replay = thread->replay;
    const struct ts_record_enter_wide *record = (const void *)at;
    const struct ts_event event = event_of(thread, at, end);
    uint64_t clock = event.clock;
    struct ts_function *function = ts_function_cache_find(replay->cache, ts_record_u64(record->address), 0, clock);
    int is_signal = function->hooked && function->hooked->flags & TS_HOOK_HANDLES_SIGNALS;
    if (is_signal)
        function = ts_event_signal(replay, function, &event);
    struct ts_site *site = before_call(thread, end, clock);
    ts_lane_enter(thread->lane, &replay->sink, function, clock, event.ns, 0);
    thread->calls++;
    thread->newest_wide.hooked = function->hooked;
    thread->newest_wide.at = (const uint32_t *)(record + 1);
    thread->newest_wide.end = end;
    thread->newest_wide.depth = ts_lane_depth(thread->lane);
    if (is_signal)
        ts_event_signal_tell(replay, function, &event);
    else if (function->hooked && replay->values.tell)
        ts_hook_values_tell_arguments(&replay->values, function->hooked, (const uint32_t *)(record + 1), end);
    after_call(thread, site);
}

/* Descriptors that the recorder does not describe, since the call that opened them says it all (preload/descriptors.h).
 */
static void learn_descriptor(struct ts_thread_replay *thread, const struct ts_hooked *hooked, uint64_t value) {
    size_t bytes;
    if (hooked != thread->newest_wide.hooked || ts_lane_depth(thread->lane) != thread->newest_wide.depth)
        return;
    const char *path = ts_hook_values_opened_path(hooked, thread->newest_wide.at, thread->newest_wide.end, &bytes);
    if (path)
        ts_descriptors_opened(&thread->replay->descriptors, (int32_t)value, path, bytes);
    thread->newest_wide.hooked = NULL;
}

static void leave_with_result(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end) {
    struct ts_replay *replay = thread->replay;
    struct ts_lane *lane = thread->lane;
    const struct ts_record_result *record = (const void *)at;
    uint64_t value = ts_record_u64(record->value);
    uint64_t ns = ts_thread_replay_ns(thread, full_clock(thread, record->clock));
    ts_lane_leave_frames(lane, &replay->sink);
    if (ts_lane_depth(lane) == 0)
        replay->totals->misnested++;
    if (lane->depth) {
        const struct ts_hooked *hooked =
            ts_functions_at(replay->session->functions, lane->calls[lane->depth - 1].function)->hooked;
        if (record->error & TS_RESULT_FAILED) {
            struct ts_failure failure = ts_failure_of_result(hooked, record->error, value);
            ts_lane_fail(lane, &replay->sink, &failure);
        } else if (hooked && replay->values.tell) {
            ts_hook_values_tell_results(&replay->values, hooked, value, (const uint32_t *)(record + 1), end);
            learn_descriptor(thread, hooked, value);
        }
    }
    ts_lane_leave(lane, &replay->sink, ns, TS_LEAVE_EXIT);
}

/* Those of which a part of a thread does not know all that it takes, and those that this was not made for. */
static int is_beyond_parts(uint32_t type) {
    return type == TS_RECORD_SWITCH || type == TS_RECORD_LOST ||
           (type > TS_RECORD_JUMP && type != TS_RECORD_DESCRIPTOR && type != TS_RECORD_FRAME);
}

int ts_thread_record_replay(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end) {
    struct ts_replay *replay = thread->replay;
    if (thread->is_part && is_beyond_parts(TS_HEAD_TYPE(*at))) {
        thread->refused = 1;
        return -1;
    }
    switch (TS_HEAD_TYPE(*at)) {
    case TS_RECORD_TIME: {
        uint64_t clock = ts_record_u64(((const struct ts_record_time *)(const void *)at)->clock);
        if (!ts_record_time_holds(clock, thread->window_clock))
            return -1;
        if (clock > thread->newest)
            thread->newest = clock;
        return 0;
    }
    case TS_RECORD_ENTER_WIDE:
        enter_wide(thread, at, end);
        return 0;
    case TS_RECORD_RESULT:
        leave_with_result(thread, at, end);
        return 0;
    case TS_RECORD_DESCRIPTOR:
        ts_descriptors_add(&replay->descriptors, at, end);
        return 0;
    case TS_RECORD_FRAME:
        ts_callers_add(replay->callers, (const void *)at, replay->cache, thread->newest);
        return 0;
    case TS_RECORD_CALL_SITE: /* what is before has looked at them */
    case TS_RECORD_STACK:
        return 0;
    case TS_RECORD_EXCEPTION_THROW: {
        struct ts_event event = event_of(thread, at, end);
        ts_event_throw(replay, thread->lane, &event);
        return 0;
    }
    case TS_RECORD_EXCEPTION_CATCH: {
        struct ts_event event = event_of(thread, at, end);
        if (thread->is_part && ts_event_ends_program(replay, &event)) {
            thread->refused = 1; /* the call that it comes to has failed */
            return -1;
        }
        ts_event_catch(replay, thread->lane, &event);
        return 0;
    }
    case TS_RECORD_JUMP: {
        struct ts_event event = event_of(thread, at, end);
        ts_event_jump(replay, &thread->jump, thread->lane, &event);
        return 0;
    }
    case TS_RECORD_UNWIND: {
        const struct ts_record_unwind *record = (const void *)at;
        uint64_t depth = ts_lane_depth(thread->lane);
        depth -= record->count < depth ? record->count : depth;
        uint64_t ns = ts_thread_replay_ns(thread, full_clock(thread, record->clock));
        ts_thread_replay_unwind(thread, depth, ns, record->reason);
        return 0;
    }
    case TS_RECORD_SWITCH: {
        const struct ts_record_switch *record = (const void *)at;
        full_clock(thread, record->clock);
        ts_thread_replay_switch(thread, record);
        return 0;
    }
    case TS_RECORD_LOST:
        thread->untrusted = at != ts_record_skip_holes(replay->window.records, replay->window.end);
        return 0;
    default:
        if (ts_record_name(TS_HEAD_TYPE(*at)) || !(*at & TS_HEAD_MUST_KNOW))
            return 0;
        ts_session_warn(replay->session, "%s: record type %u is not known to this version: use a newer traceshim",
                        thread->trace->path, TS_HEAD_TYPE(*at));
        return -1;
    }
}
