#include "render/thread_part.h"

#include "render/memory.h"
#include "render/session_private.h"

#include <stdlib.h>
#include <string.h>

/* The sink until the first event: notes its time. */
struct first_event {
    struct ts_thread_part *part;
    struct ts_replay *replay;
};

static void ignore_stream(void *context, struct ts_stream *stream) {
    (void)context;
    (void)stream;
}

static void ignore_outer(void *context, uint64_t count) {
    (void)context;
    (void)count;
}

static void note_first(const struct first_event *first, uint64_t ns) {
    first->part->first_ns = ns;
    first->replay->sink = first->part->sink;
}

static void enter_first(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    const struct first_event *first = context;
    struct ts_thread_part *part = first->part;
    note_first(first, start_ns);
    part->sink.enter(part->sink.context, function, start_ns, flags);
}

static void leave_first(void *context, uint64_t end_ns, enum ts_leave_how how) {
    const struct first_event *first = context;
    struct ts_thread_part *part = first->part;
    note_first(first, end_ns);
    part->sink.leave(part->sink.context, end_ns, how);
}

/* Comes behind an enter: not to this sink. But whether there is one decides what is looked up before that. */
static void place_first(void *context, struct ts_site *site) {
    const struct first_event *first = context;
    first->part->sink.site(first->part->sink.context, site);
}

static void frame_enter_first(void *context, struct ts_function *function) {
    const struct first_event *first = context;
    first->part->sink.frame_enter(first->part->sink.context, function);
}

static void frame_leave_first(void *context) {
    const struct first_event *first = context;
    first->part->sink.frame_leave(first->part->sink.context);
}

static void note_moment_first(void *context, const struct ts_moment *moment) {
    const struct first_event *first = context;
    struct ts_thread_part *part = first->part;
    note_first(first, moment->ns);
    part->sink.moment(part->sink.context, moment);
}

static void fail_first(void *context, const struct ts_failure *failure) {
    const struct first_event *first = context;
    first->part->sink.failure(first->part->sink.context, failure);
}

static void prepare_worker(struct ts_part_worker *worker, const struct ts_thread_replay *of,
                           struct ts_thread_part *part) {
    struct ts_replay *replay = &worker->replay;
    if (!replay->cache)
        replay->cache = ts_memory_new(1, sizeof(struct ts_function_cache));
    if (!replay->callers)
        replay->callers = ts_callers_new(of->replay->session->sites);
    replay->session = of->replay->session;
    replay->stop = of->replay->stop;
    replay->totals = &part->totals;
    replay->cache->functions = of->replay->session->functions;
    replay->values = (struct ts_hook_values){.machine = of->trace->header.machine};
    ts_function_cache_begin(replay->cache, ts_process_facts_of(of->process)->modules,
                            ts_process_facts_of(of->process)->hooks);
}

/* The calls that the header says are open; -1 where it does not know them all. */
static int open_outer_calls(struct ts_thread_part *part, struct ts_replay *replay) {
    const struct ts_window_header *header = &replay->window.header;
    struct ts_lane *lane = part->lane;
    if (header->depth != header->open_count)
        return -1;
    part->outer_count = (size_t)header->depth;
    part->outer = ts_memory_new(part->outer_count, sizeof *part->outer);
    for (size_t i = 0; i < part->outer_count; i++) {
        const struct ts_open_call *call = &replay->window.open_calls[i];
        struct ts_function *function = ts_function_cache_find(replay->cache, call->address, 0, header->clock);
        part->outer[i] = (struct ts_lane_call){(uint32_t)call->clock & TS_CLOCK_FIELD, function->id};
        part->sink.enter(part->sink.context, function, 0, TS_ENTER_OUTER);
    }
    lane->calls = ts_memory_grow(NULL, &lane->capacity, part->outer_count + 1, sizeof *lane->calls);
    memcpy(lane->calls, part->outer, part->outer_count * sizeof *part->outer);
    lane->depth = part->outer_count;
    return 0;
}

void ts_thread_part_replay(struct ts_thread_part *part, struct ts_part_worker *worker,
                           const struct ts_thread_replay *of) {
    struct ts_replay *replay = &worker->replay;
    struct first_event first = {part, replay};
    prepare_worker(worker, of, part);
    part->first_ns = UINT64_MAX;
    part->lane = ts_memory_new(1, sizeof *part->lane);
    part->sink = part->sink_parts->begin(of->replay->sink.context);
    part->sink.select = part->sink.finish = ignore_stream;
    part->sink.outer_unknown = ignore_outer;
    if (ts_trace_read_window(of->trace, part->first, &replay->window) != 0) {
        part->refused = true;
        return;
    }
    const struct ts_window_header *header = &replay->window.header;
    struct ts_lane *only[] = {part->lane};
    struct ts_thread_replay thread = {.replay = replay,
                                      .trace = of->trace,
                                      .process = of->process,
                                      .facts = of->facts,
                                      .lanes = only,
                                      .lane_count = 1,
                                      .lane = part->lane,
                                      .piece = *ts_clock_fit_piece(&of->trace->clock, header->clock),
                                      .last_sequence = header->previous,
                                      .replayed = 1,
                                      .with_callers = of->with_callers,
                                      .is_part = 1};
    part->track = part->lane->track = header->track;
    part->previous = header->previous;
    ts_function_cache_advance(replay->cache, header->clock);
    part->modules_change = replay->cache->next_change;
    if (open_outer_calls(part, replay) != 0) {
        part->refused = true;
        return;
    }
    replay->sink = (struct ts_sink){.context = &first,
                                    .select = ignore_stream,
                                    .enter = enter_first,
                                    .leave = leave_first,
                                    .outer_unknown = ignore_outer,
                                    .finish = ignore_stream,
                                    .site = part->sink.site ? place_first : NULL,
                                    .frame_enter = part->sink.frame_enter ? frame_enter_first : NULL,
                                    .frame_leave = part->sink.frame_enter ? frame_leave_first : NULL,
                                    .moment = part->sink.moment ? note_moment_first : NULL,
                                    .failure = fail_first};
    ts_thread_replay_copied(&thread);
    for (const struct ts_window *window = part->first + 1; window < part->end && !thread.refused; window++) {
        ts_trace_will_read(of->trace, window);
        ts_thread_replay_window(&thread, window);
    }
    /* What is on its way at the end is not told to what follows. */
    part->refused =
        thread.refused || thread.untrusted || thread.in_flight || part->lane->throw_count || thread.jump.lane;
    part->modules_change_at_end = replay->cache->next_change;
    part->newest = thread.newest;
    part->last_sequence = thread.last_sequence;
    part->calls = thread.calls;
    part->loses = thread.loses;
}

static bool holds(const struct ts_thread_part *part, const struct ts_thread_replay *thread) {
    const struct ts_lane *lane = thread->lane;
    if (part->refused || !thread->replayed || thread->untrusted || thread->in_flight ||
        part->previous != thread->last_sequence || lane->track != part->track || thread->lane_count != 1 ||
        lane->unknown || lane->inherited || lane->throw_count || thread->jump.lane ||
        lane->depth != part->outer_count || part->modules_change != thread->replay->cache->next_change ||
        part->first_ns <= lane->last_ns)
        return false;
    for (size_t i = 0; i < part->outer_count; i++)
        if (part->outer[i].function != lane->calls[i].function)
            return false;
    return true;
}

static void add_totals(struct ts_totals *totals, const struct ts_totals *part) {
    totals->misnested += part->misnested;
    totals->unwound += part->unwound;
    totals->unfinished += part->unfinished;
    for (size_t why = 0; why < TS_CLOSED_BY_COUNT; why++)
        totals->closed_by[why] += part->closed_by[why];
    totals->call_sites += part->call_sites;
    totals->stacks += part->stacks;
    totals->whole_stacks += part->whole_stacks;
}

/*
 * The sink has closed the frames on calls that ended, and on the innermost one that did not. Those of the part come
 * behind what is left; none of the whole's callers has their identity.
 */
static void join_frames(struct ts_lane *lane, const struct ts_lane *part, size_t kept) {
    while (lane->frame_count && lane->frames[lane->frame_count - 1].depth >= kept)
        lane->frame_count--;
    lane->frames = ts_memory_grow(lane->frames, &lane->frame_capacity, lane->frame_count + part->frame_count + 1,
                                  sizeof *lane->frames);
    for (size_t i = 0; i < part->frame_count; i++) {
        lane->frames[lane->frame_count] = part->frames[i];
        lane->frames[lane->frame_count++].outer = UINT64_MAX;
    }
}

bool ts_thread_part_join(struct ts_thread_part *part, struct ts_thread_replay *thread) {
    struct ts_lane *lane = thread->lane;
    if (!holds(part, thread))
        return false;
    const struct ts_sink *sink = &thread->replay->sink;
    size_t kept = part->outer_count - part->sink_parts->outer_left(part->sink.context);
    part->sink_parts->join(sink->context, part->sink.context);

    lane->calls = ts_memory_grow(lane->calls, &lane->capacity, part->lane->depth + 1, sizeof *lane->calls);
    memcpy(lane->calls + kept, part->lane->calls + kept, (part->lane->depth - kept) * sizeof *lane->calls);
    lane->depth = part->lane->depth;
    join_frames(lane, part->lane, kept);
    ts_lane_watch(lane);
    if (part->first_ns != UINT64_MAX)
        lane->last_ns = part->lane->last_ns;
    thread->newest = part->newest;
    thread->last_sequence = part->last_sequence;
    thread->calls += part->calls;
    thread->loses = part->loses;
    add_totals(thread->replay->totals, &part->totals);
    /* What is cached may be of other modules by now. */
    thread->replay->cache->epoch++;
    thread->replay->cache->next_change = part->modules_change_at_end;
    return true;
}

void ts_thread_part_free(struct ts_thread_part *part) {
    if (part->sink.context)
        part->sink_parts->free(part->sink.context);
    if (part->lane)
        ts_lane_free(part->lane);
    free(part->outer);
    free(part);
}

void ts_part_worker_free(struct ts_part_worker *worker) {
    free(worker->replay.cache);
    if (worker->replay.callers)
        ts_callers_free(worker->replay.callers);
    free(worker->replay.type_name);
    free(worker->replay.type);
    ts_event_forget(&worker->replay);
    ts_descriptors_free(&worker->replay.descriptors);
    ts_window_copy_free(&worker->replay.window);
}
