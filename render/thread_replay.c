#include "render/thread_replay.h"

#include "render/crash.h"
#include "render/flag_names.h"
#include "render/memory.h"
#include "render/progress.h"
#include "render/record.h"
#include "render/session_private.h"
#include "render/thread_events.h"
#include "render/thread_gap.h"
#include "render/thread_parts.h"
#include "render/thread_record.h"
#include "render/thread_replay_private.h"

#include <search.h>
#include <stdlib.h>

/* Streams that a session may find during its replay: far more than a program has stacks. */
#define FOUND_MAX ((size_t)1 << 20)

/*
 * Calls by which a window's header may differ once from what was replayed: a hook that a signal handler interrupted in
 * the middle writes its record into the window before, after this header was made.
 */
#define IN_FLIGHT_MAX 4

static int compare_lanes(const void *left, const void *right) {
    uint32_t a = ((const struct ts_lane *)left)->track;
    uint32_t b = ((const struct ts_lane *)right)->track;
    return (a > b) - (a < b);
}

static struct ts_lane *add_lane(struct ts_thread_replay *thread, struct ts_stream *stream) {
    struct ts_lane *lane = ts_memory_new(1, sizeof(*lane));
    lane->track = stream->track;
    lane->stream = stream;
    thread->lanes =
        ts_memory_grow(thread->lanes, &thread->lane_capacity, thread->lane_count + 1, sizeof(struct ts_lane *));
    thread->lanes[thread->lane_count++] = lane;
    if (!tsearch(lane, &thread->lanes_by_track, compare_lanes))
        abort(); /* out of memory */
    return lane;
}

/* The lane of this track; NULL when there are too many. */
static struct ts_lane *find_lane(struct ts_thread_replay *thread, uint32_t track) {
    struct ts_lane key = {.track = track};
    struct ts_lane *const *known = tfind(&key, &thread->lanes_by_track, compare_lanes);
    if (known)
        return *known;
    struct ts_replay *replay = thread->replay;
    if (replay->found_count >= FOUND_MAX)
        return NULL;
    struct ts_stream *stream = ts_session_stream_new(thread->process, thread->facts, track);
    stream->start_ns = ts_thread_replay_ns(thread, thread->newest);
    replay->found =
        ts_memory_grow(replay->found, &replay->found_capacity, replay->found_count + 1, sizeof(struct ts_stream *));
    replay->found[replay->found_count++] = stream;
    return add_lane(thread, stream);
}

static void select_lane(struct ts_thread_replay *thread, struct ts_lane *lane) {
    if (lane == thread->lane)
        return;
    thread->lane = lane;
    thread->replay->sink.select(thread->replay->sink.context, lane->stream);
}

void ts_thread_replay_damage(struct ts_thread_replay *thread) {
    thread->replay->totals->damaged_windows++;
    thread->untrusted = 1;
    thread->refused = 1;
}

static void leave_unfinished(struct ts_thread_replay *thread, struct ts_lane *lane, uint64_t depth, uint64_t ns,
                             enum ts_closed_by why) {
    struct ts_totals *totals = thread->replay->totals;
    uint64_t calls = ts_lane_leave_down_to(lane, &thread->replay->sink, depth, ns, TS_LEAVE_UNFINISHED);
    totals->unfinished += calls;
    totals->closed_by[why] += calls;
}

void ts_thread_replay_unwind(struct ts_thread_replay *thread, uint64_t depth, uint64_t ns, uint32_t reason) {
    struct ts_totals *totals = thread->replay->totals;
    struct ts_unwound unwound = ts_lane_unwind(thread->lane, &thread->replay->sink, depth, ns, reason);
    totals->unwound += unwound.own;
    totals->closed_by[TS_CLOSED_BY_EXCEPTION] += unwound.by_exception;
    totals->closed_by[reason == TS_UNWIND_JUMP         ? TS_CLOSED_BY_JUMP
                      : reason == TS_UNWIND_THREAD_END ? TS_CLOSED_BY_THREAD_END
                                                       : TS_CLOSED_BY_UNWIND] += unwound.own - unwound.by_exception;
}

/* Why calls are open when nothing more of their thread is known. */
static enum ts_closed_by closed_at_end(const struct ts_thread_replay *thread) {
    if (thread->paused_clock)
        return TS_CLOSED_BY_PAUSE;
    if (thread->loses || thread->untrusted)
        return TS_CLOSED_BY_MISSING;
    switch (thread->process->end_reason) {
    case TS_END_EXIT:
    case TS_END_IMMEDIATE:
    case TS_END_QUICK_EXIT:
        return TS_CLOSED_BY_PROCESS_EXIT;
    case TS_END_ABORT:
        return TS_CLOSED_BY_ABORT;
    case TS_END_EXEC:
        return TS_CLOSED_BY_EXEC;
    case TS_END_SIGNAL:
        return TS_CLOSED_BY_SIGNAL;
    default:
        return TS_CLOSED_BY_NO_END;
    }
}

/* Makes the current lane's open calls those of the window's header. */
static void adopt_open_calls(struct ts_thread_replay *thread, unsigned flags) {
    const struct ts_window_copy *window = &thread->replay->window;
    const struct ts_window_header *header = &window->header;
    const struct ts_sink *sink = &thread->replay->sink;
    struct ts_lane *lane = thread->lane;
    ts_lane_forget_throws(lane); /* a catch may be among what is missing */
    uint64_t outer = header->depth - header->open_count;
    uint64_t common = ts_lane_common(lane, header->depth, window->open_calls, header->open_count, header->lowest_depth);
    if (common < outer)
        common = 0;
    leave_unfinished(thread, lane, common, ts_gap_open_ns(thread, lane, lane->last_ns),
                     thread->paused_clock ? TS_CLOSED_BY_PAUSE : TS_CLOSED_BY_MISSING);
    if (common < outer) {
        if (lane->last_ns == 0)
            sink->outer_unknown(sink->context, outer);
        lane->unknown = outer;
        common = outer;
    }
    uint64_t first_ns = lane->last_ns + 1;
    for (uint64_t i = common; i < header->depth; i++) {
        struct ts_open_call call = window->open_calls[i - outer];
        struct ts_function *function = ts_function_cache_find(thread->replay->cache, call.address, 0, header->clock);
        if (call.clock > header->clock || call.clock < thread->trace->header.start.clock)
            call.clock = header->clock; /* damaged: it cannot have begun then */
        uint64_t ns = flags & TS_ENTER_INHERITED ? thread->process->start_ns : ts_thread_replay_ns(thread, call.clock);
        ts_lane_enter(lane, sink, function, call.clock, ns, flags);
        if (i == common)
            first_ns = lane->last_ns;
    }
    if (flags & TS_ENTER_INHERITED)
        ts_lane_inherit(lane, lane->depth);
    if (lane->depth && first_ns < lane->stream->start_ns)
        lane->stream->start_ns = first_ns;
}

/* Brings the open calls in line with the header of the window that comes next. */
static void synchronise(struct ts_thread_replay *thread) {
    const struct ts_window_header *header = &thread->replay->window.header;
    int is_first = !thread->replayed;
    int is_next = header->previous == thread->last_sequence;
    if (thread->is_part && header->track != thread->lane->track) {
        thread->refused = 1;
        return;
    }
    struct ts_lane *lane = thread->is_part ? thread->lane : find_lane(thread, header->track);
    if (!lane)
        return ts_thread_replay_damage(thread);
    enum ts_gap gap = ts_gap_before(&thread->replay->window);
    if (is_next && !is_first && lane != thread->lane && gap != TS_GAP_PAUSE)
        ts_thread_replay_damage(thread);
    select_lane(thread, lane);

    uint64_t have = ts_lane_depth(lane);
    if (thread->is_part && (!is_next || have != header->depth || gap)) {
        thread->refused = 1;
        return;
    }
    uint64_t apart = have > header->depth ? have - header->depth : header->depth - have;
    if (is_first && header->flags & TS_WINDOW_FIRST_OF_PROCESS) {
        adopt_open_calls(thread, TS_ENTER_INHERITED);
    } else if (!is_next || is_first || thread->untrusted || gap) {
        adopt_open_calls(thread, TS_ENTER_DROPPED);
        thread->untrusted = 0;
    } else if (apart && apart <= IN_FLIGHT_MAX && !thread->in_flight) {
        thread->in_flight = 1;
        return;
    } else if (apart) {
        ts_thread_replay_damage(thread);
        adopt_open_calls(thread, TS_ENTER_DROPPED);
        thread->untrusted = 0;
    }
    thread->in_flight = 0;
    ts_gap_end(thread, gap);
}

void ts_thread_replay_switch(struct ts_thread_replay *thread, const struct ts_record_switch *record) {
    struct ts_lane *lane = find_lane(thread, record->track);
    if (!lane)
        return ts_thread_replay_damage(thread);
    select_lane(thread, lane);
    uint64_t depth = ts_record_u64(record->depth);
    if (ts_lane_depth(lane) > depth) {
        leave_unfinished(thread, lane, depth, lane->last_ns, TS_CLOSED_BY_MISSING);
    } else if (lane->last_ns == 0 && depth > lane->unknown) {
        thread->replay->sink.outer_unknown(thread->replay->sink.context, depth);
        lane->unknown = depth;
    }
}

/* So many words are replayed between two looks at `stop`. */
#define WORDS_PER_LOOK 512

static int is_told_of(const struct ts_thread_replay *thread, const uint32_t *behind) {
    return thread->with_callers &&
           (ts_callers_tell(behind, thread->replay->window.end) || thread->lane->frame_count != 0);
}

/*
 * The loop for most sinks: about 30 instructions for an event besides the sink's. Returns where it stopped: not before
 * `end`, or at a word that is neither ENTER nor EXIT. The window ends at `last`.
 */
static const uint32_t *replay_events(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end,
                                     const uint32_t *last) {
    struct ts_replay *replay = thread->replay;
    struct ts_lane *lane = thread->lane;
    uint64_t newest = thread->newest;
    uint64_t calls = 0;
    while (at < end) {
        uint32_t head = *at;
        if ((head & 3) == TS_KIND_EXIT) {
            uint64_t clock = ts_record_clock(&newest, head);
            if (__builtin_expect(lane->depth == 0, 0))
                replay->totals->misnested += lane->unknown == 0;
            ts_lane_leave(lane, &replay->sink, ts_thread_replay_ns(thread, clock), TS_LEAVE_EXIT);
            at += TS_EXIT_BYTES / sizeof(*at);
        } else if ((head & 3) == TS_KIND_ENTER && last - at >= 2) {
            uint64_t clock = ts_record_clock(&newest, head);
            struct ts_function *function = ts_function_cache_find(replay->cache, at[1], 1, clock);
            calls++;
            at += TS_ENTER_BYTES / sizeof(*at);
            if (__builtin_expect(is_told_of(thread, at), 0)) {
                ts_thread_record_enter_told(thread, function, at, clock);
                at += ts_callers_tell(at, last) ? 2 : 0;
            } else {
                ts_lane_enter(lane, &replay->sink, function, clock, ts_thread_replay_ns(thread, clock), 0);
            }
        } else {
            break;
        }
    }
    thread->newest = newest;
    thread->calls += calls;
    return at;
}

/*
 * The loop for sinks that take many events at once, apart because nothing is told in it: what it needs of the lane
 * stays in registers. Gathers the events up to `end`, or to one of which there is more to tell than that a call begins
 * or ends. About 55 instructions for an event. Returns where it stopped. The window ends at `last`; each event is a
 * word at least.
 */
static const uint32_t *gather_events(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end,
                                     const uint32_t *last, struct ts_call_event *events, size_t *count) {
    struct ts_lane *lane = thread->lane;
    struct ts_call_event *event = events;
    uint64_t newest = thread->newest, last_ns = lane->last_ns, calls = 0;
    size_t depth = lane->depth;
    for (; at < end; event++) {
        uint32_t head = *at;
        uint64_t clock;
        if ((head & 3) == TS_KIND_EXIT && depth > lane->watched) {
            clock = ts_record_clock(&newest, head);
            event->function = TS_CALL_ENDS;
            depth--;
            at += TS_EXIT_BYTES / sizeof(*at);
        } else if ((head & 3) == TS_KIND_ENTER && last - at >= 2 && !is_told_of(thread, at + 2)) {
            clock = ts_record_clock(&newest, head);
            event->function = ts_function_cache_find(thread->replay->cache, at[1], 1, clock)->id;
            ts_lane_set_call(lane, depth++, clock, event->function);
            calls++;
            at += TS_ENTER_BYTES / sizeof(*at);
        } else {
            break;
        }
        uint64_t ns = ts_thread_replay_ns(thread, clock);
        event->ns = last_ns = ns > last_ns ? ns : last_ns + 1;
    }
    thread->newest = newest;
    thread->calls += calls;
    lane->last_ns = last_ns;
    lane->depth = depth;
    *count = (size_t)(event - events);
    return at;
}

/* As replay_events, which replays what is not gathered. */
static const uint32_t *replay_gathered(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end,
                                       const uint32_t *last) {
    const struct ts_sink *sink = &thread->replay->sink;
    struct ts_call_event events[WORDS_PER_LOOK];
    while (at < end) {
        size_t count;
        at = gather_events(thread, at, end, last, events, &count);
        if (count)
            sink->calls(sink->context, events, count);
        if (at >= end)
            break;
        const uint32_t *behind = replay_events(thread, at, at + 1, last);
        if (behind == at)
            break;
        at = behind;
    }
    return at;
}

/* The same up to `end`, or until there was enough. */
static const uint32_t *replay_until_stopped(struct ts_thread_replay *thread, const uint32_t *at, const uint32_t *end) {
    const struct ts_replay *replay = thread->replay;
    const uint32_t *until = at;
    while (at < end && at >= until && !*replay->stop) {
        until = end - at > WORDS_PER_LOOK ? at + WORDS_PER_LOOK : end;
        at = replay->sink.calls ? replay_gathered(thread, at, until, end) : replay_events(thread, at, until, end);
    }
    return at;
}

void ts_thread_replay_copied(struct ts_thread_replay *thread) {
    struct ts_replay *replay = thread->replay;
    const uint32_t *at = replay->window.records;
    const uint32_t *end = replay->window.end;
    const struct ts_window_header *header = &replay->window.header;
    thread->window_clock = thread->newest = header->clock;
    if (thread->is_part && header->flags & TS_WINDOW_PAUSED) {
        thread->refused = 1;
        return;
    }
    ts_descriptors_forget(&replay->descriptors);
    ts_callers_begin_window(replay->callers);
    thread->newest_wide.hooked = NULL;
    synchronise(thread);
    if (thread->is_part && thread->refused)
        return;
    thread->loses = 0;
    for (size_t reason = 0; reason < TS_LOST_SLOTS; reason++)
        thread->loses |= replay->window.header.lost_events[reason] != 0;
    thread->last_sequence = replay->window.header.sequence;
    thread->replayed = 1;
    ts_event_tell_jump(replay, &thread->jump, thread->lane, ts_record_skip_holes(at, end), end);
    while ((at = replay_until_stopped(thread, at, end)) < end && !*replay->stop) {
        if (*at == 0) {
            at = ts_record_skip_holes(at, end);
            continue;
        }
        uint32_t words;
        enum ts_word word = ts_record_at(at, end, &words);
        if (word == TS_WORD_DAMAGED || (word == TS_WORD_TAGGED && ts_thread_record_replay(thread, at, at + words) < 0))
            return ts_thread_replay_damage(thread);
        at = ts_record_skip_holes(at + words, end);
        if (at < end)
            ts_event_tell_jump(replay, &thread->jump, thread->lane, at, end);
    }
    if (!*replay->stop)
        ts_gap_begin(thread, header);
}

/* Signals that came to the thread and ended the process: the last thing that it did. */
static void tell_crashes(struct ts_thread_replay *thread) {
    const struct ts_sink *sink = &thread->replay->sink;
    struct ts_functions *functions = thread->replay->session->functions;
    const struct ts_crash *crash;
    size_t at = 0;
    while (sink->moment && (crash = ts_facts_next_crash(thread->trace, ts_process_facts_of(thread->process),
                                                        thread->facts->thread, functions, &at))) {
        struct ts_attribute attributes[TS_CRASH_ATTRIBUTES + TS_EVENT_FATAL_MOST];
        struct ts_crash_texts texts;
        char name[TS_FLAG_NAMES_BYTES];
        ts_flag_signal(name, crash->signal);
        ts_lane_leave_frames(thread->lane, sink);
        struct ts_moment moment = {.function = ts_functions_intern_moment(functions, ts_crash_object(crash), name),
                                   .ns = ts_lane_time(thread->lane, ts_thread_replay_ns(thread, crash->clock)),
                                   .is_error = true,
                                   .attributes = attributes};
        moment.attribute_count = ts_crash_attributes(crash, attributes, &texts);
        moment.attribute_count += ts_event_fatal(thread->replay, crash->signal, attributes + moment.attribute_count);
        sink->moment(sink->context, &moment);
        free(texts.stack);
    }
}

/* What is still open ends when the thread was last known. */
static void finish_lanes(struct ts_thread_replay *thread) {
    struct ts_replay *replay = thread->replay;
    if (!*replay->stop) {
        ts_event_tell_jump(replay, &thread->jump, thread->lane, NULL, NULL);
        tell_crashes(thread);
    }
    for (size_t i = 0; i < thread->lane_count; i++) {
        struct ts_lane *lane = thread->lanes[i];
        select_lane(thread, lane);
        uint64_t end_ns = ((const struct ts_session_stream *)lane->stream)->told_end_ns;
        leave_unfinished(thread, lane, 0, *replay->stop ? lane->last_ns : ts_gap_open_ns(thread, lane, end_ns),
                         closed_at_end(thread));
        ts_lane_leave_frames(lane, &replay->sink);
        if (lane->stream->end_ns < lane->last_ns)
            lane->stream->end_ns = lane->last_ns;
        replay->sink.finish(replay->sink.context, lane->stream);
    }
    for (size_t i = 0; i < thread->lane_count; i++) {
        tdelete(thread->lanes[i], &thread->lanes_by_track, compare_lanes);
        ts_lane_free(thread->lanes[i]);
    }
    free(thread->lanes);
}

void ts_thread_replay_window(struct ts_thread_replay *thread, const struct ts_window *window) {
    int result = ts_trace_read_window(thread->trace, window, &thread->replay->window);
    if (result < 0)
        ts_thread_replay_damage(thread);
    else if (result == 0)
        ts_thread_replay_copied(thread);
    else
        thread->refused = 1;
}

/*
 * Whether the window can be left out for the time that is shown: the next one's header knows the calls that were open,
 * but not that a child inherited them.
 */
static int is_outside(const struct ts_thread_replay *thread, const struct ts_window *window,
                      const struct ts_window *end) {
    const struct ts_span_time *time = &thread->replay->time;
    const struct ts_clock_fit *clock = &thread->trace->clock;
    if (time->to_ns != UINT64_MAX && ts_clock_fit_ns(clock, window->clock) > time->to_ns)
        return 1;
    return time->from_ns && window + 1 < end && !(window->flags & TS_WINDOW_FIRST_OF_PROCESS) &&
           ts_clock_fit_ns(clock, window[1].clock) < time->from_ns;
}

void ts_thread_replay(struct ts_replay *replay, struct ts_stream **streams, size_t count) {
    struct ts_process *process = streams[0]->process;
    struct ts_thread_replay thread = {
        .replay = replay,
        .trace = process->trace,
        .process = process,
        .facts = ts_stream_thread(streams[0]),
    };
    thread.piece = *ts_clock_fit_piece(&thread.trace->clock, thread.facts->start_clock);
    const struct ts_metadata *level =
        ts_facts_metadata(thread.trace->facts, ts_process_facts_of(process), TS_METADATA_LEVEL);
    thread.with_callers = !level || atoi(level->value) >= 2;
    ts_function_cache_begin(replay->cache, ts_process_facts_of(process)->modules, ts_process_facts_of(process)->hooks);
    ts_event_forget(replay);
    replay->values.machine = thread.trace->header.machine;
    ts_callers_begin_process(replay->callers);
    for (size_t i = 0; i < count; i++)
        add_lane(&thread, streams[i]);
    select_lane(&thread, thread.lanes[0]);

    const struct ts_window *window = &thread.trace->windows[thread.facts->first_window];
    const struct ts_window *end = window + thread.facts->window_count;
    struct ts_thread_parts *parts = count == 1 ? ts_thread_parts_start(&thread, window, end) : NULL;
    while (window < end && !*replay->stop) {
        if (parts && ts_thread_parts_join(parts, &thread, &window))
            continue;
        if (!is_outside(&thread, window, end)) {
            if (window + 1 < end)
                ts_trace_will_read(thread.trace, window + 1);
            ts_thread_replay_window(&thread, window);
        }
        ts_progress_add(replay->session->progress, window->bytes, window->calls);
        window++;
    }
    ts_thread_parts_end(parts);
    replay->totals->calls += thread.calls;
    finish_lanes(&thread);
}
