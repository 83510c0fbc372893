#include "render/call_stats.h"

#include "render/memory.h"
#include "render/outer_ends.h"
#include "render/sink_parts.h"

#include <stdlib.h>
#include <string.h>

struct frame {
    uint64_t start;
    uint64_t in_calls; /* time in calls that it made */
    uint32_t row;
    uint32_t flags;
};

struct ts_call_stats_stream {
    struct ts_call_stats_stream *next;
    struct ts_call_stats_stream *previous;
    struct frame *frames;
    size_t depth;
    size_t capacity;
    uint64_t in_calls_ns; /* of the outermost ones */
    uint32_t *open;       /* by row: its calls that are open here */
    size_t open_count;
    size_t open_capacity;
};

/* A part of a stream, counted on its own: it has this one alone. */
struct ts_call_stats_part {
    struct ts_call_stats stats; /* first: the sink's context is the part */
    struct ts_call_stats_stream stream;
    struct ts_outer_ends ends;
};

/* Before any stream is selected: it has no room, so that nothing is written to it. */
static struct ts_call_stats_stream no_stream;

static struct ts_call_stats_part *part_of(struct ts_call_stats *stats) {
    return (struct ts_call_stats_part *)stats;
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_call_stats *stats = context;

    if (!stream->user) {
        struct ts_call_stats_stream *made = ts_memory_new(1, sizeof *made);
        made->next = stats->streams;
        if (made->next)
            made->next->previous = made;
        stats->streams = made;
        stream->user = made;
    }
    stats->current = stream->user;
}

/* Room for the row in the counts and in the stream's open calls, both zero at first. */
static void cover_row(struct ts_call_stats *stats, struct ts_call_stats_stream *stream, uint32_t row) {
    size_t need = (size_t)row + 1;

    if (stats->counts_count < need) {
        stats->counts = ts_memory_grow(stats->counts, &stats->counts_capacity, need, sizeof *stats->counts);
        memset(stats->counts + stats->counts_count, 0, (need - stats->counts_count) * sizeof *stats->counts);
        stats->counts_count = need;
    }
    stream->open = ts_memory_grow(stream->open, &stream->open_capacity, need, sizeof *stream->open);
    memset(stream->open + stream->open_count, 0, (need - stream->open_count) * sizeof *stream->open);
    stream->open_count = need;
}

static inline void push_frame(struct ts_call_stats_stream *stream, uint64_t start_ns, uint32_t row, unsigned flags) {
    struct frame *frame = &stream->frames[stream->depth++];
    frame->start = start_ns;
    frame->in_calls = 0;
    frame->row = row;
    frame->flags = flags;
    stream->open[row]++;
}

/* The rare part of an enter, and apart: what it calls would make every enter save registers. */
static __attribute__((noinline)) void enter_with_room(struct ts_call_stats *stats, struct ts_function *function,
                                                      uint64_t start_ns, unsigned flags) {
    struct ts_call_stats_stream *stream = stats->current;
    if (stream == &no_stream)
        return;
    uint32_t row = ts_function_rows_of(&stats->rows, function);

    if (row >= stream->open_count)
        cover_row(stats, stream, row);
    stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
    push_frame(stream, start_ns, row, flags);
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_call_stats *stats = context;
    struct ts_call_stats_stream *stream = stats->current;
    uint32_t row = ts_function_rows_known(&stats->rows, function);

    if (__builtin_expect(row >= stream->open_count || stream->depth == stream->capacity, 0))
        enter_with_room(stats, function, start_ns, flags);
    else
        push_frame(stream, start_ns, row, flags);
}

static inline void count_call(struct ts_call_stats *stats, struct ts_call_count *count, uint64_t duration,
                              bool squares) {
    if (count->calls == 0 || duration < count->minimum)
        count->minimum = duration;
    if (duration > count->maximum)
        count->maximum = duration;
    count->calls++;
    count->durations += duration;
    if (squares)
        count->squares += (unsigned __int128)duration * duration;
    stats->calls++;
}

/* Ends the innermost call, which is `frame` and no outer one: its own times and its caller's. Returns its duration. */
static inline uint64_t pop_frame(struct ts_call_stats_stream *stream, const struct frame *frame,
                                 struct ts_call_count *count, uint64_t end_ns) {
    uint64_t duration = end_ns > frame->start ? end_ns - frame->start : 0;

    if (--stream->depth > 0)
        stream->frames[stream->depth - 1].in_calls += duration;
    else
        stream->in_calls_ns += duration;
    count->self += duration > frame->in_calls ? duration - frame->in_calls : 0;
    if (--stream->open[frame->row] == 0)
        count->total += duration;
    return duration;
}

/* The leave of a call that does not simply end, or of one that is not simply the process's own; apart as above. */
static __attribute__((noinline)) void leave_otherwise(struct ts_call_stats *stats, uint64_t end_ns,
                                                      enum ts_leave_how how) {
    struct ts_call_stats_stream *stream = stats->current;
    const struct frame *frame = &stream->frames[stream->depth - 1];
    struct ts_call_count *count = &stats->counts[frame->row];

    if (frame->flags & TS_ENTER_OUTER) {
        ts_outer_ends_add(&part_of(stats)->ends, end_ns, frame->in_calls, how);
        stream->open[frame->row]--;
        stream->depth--;
        return;
    }
    uint64_t duration = pop_frame(stream, frame, count, end_ns);
    if (frame->flags & TS_ENTER_INHERITED) {
        stats->inherited++;
        return;
    }
    count_call(stats, count, duration, stats->with_squares);
    count->unfinished += how == TS_LEAVE_UNFINISHED;
    stats->unfinished += how == TS_LEAVE_UNFINISHED;
    count->unwound += how == TS_LEAVE_UNWOUND;
    stats->unwound += how == TS_LEAVE_UNWOUND;
}

static inline void leave(struct ts_call_stats *stats, uint64_t end_ns, enum ts_leave_how how, bool squares) {
    struct ts_call_stats_stream *stream = stats->current;
    if (__builtin_expect(stream->depth == 0, 0))
        return;
    const struct frame *frame = &stream->frames[stream->depth - 1];
    struct ts_call_count *count = &stats->counts[frame->row];

    if (__builtin_expect(frame->flags & (TS_ENTER_OUTER | TS_ENTER_INHERITED) || how != TS_LEAVE_EXIT, 0)) {
        leave_otherwise(stats, end_ns, how);
        return;
    }
    count_call(stats, count, pop_frame(stream, frame, count, end_ns), squares);
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    leave(context, end_ns, how, false);
}

static void leave_call_with_squares(void *context, uint64_t end_ns, enum ts_leave_how how) {
    leave(context, end_ns, how, true);
}

static void (*leave_of(const struct ts_call_stats *stats))(void *, uint64_t, enum ts_leave_how) {
    return stats->with_squares ? leave_call_with_squares : leave_call;
}

/* At most once for a call. Inherited calls count in the process that made them. */
static void count_failure(void *context, const struct ts_failure *failure) {
    struct ts_call_stats *stats = context;
    struct ts_call_stats_stream *stream = stats->current;

    (void)failure;
    if (stream->depth == 0)
        return;
    const struct frame *frame = &stream->frames[stream->depth - 1];
    if (frame->flags & TS_ENTER_INHERITED)
        return;
    if (frame->flags & TS_ENTER_OUTER) {
        part_of(stats)->ends.next_failed = true;
        return;
    }
    stats->counts[frame->row].errors++;
    stats->errors++;
}

/* The call that was just entered counts where it was made. */
static void place_call(void *context, struct ts_site *site) {
    struct ts_call_stats *stats = context;
    struct ts_call_stats_stream *stream = stats->current;

    if (stream->depth == 0)
        return;
    struct frame *frame = &stream->frames[stream->depth - 1];
    uint32_t row = ts_site_rows_of(&stats->site_rows, &stats->rows, frame->row, stats->sites, site);
    if (row >= stream->open_count)
        cover_row(stats, stream, row);
    stream->open[frame->row]--;
    stream->open[row]++;
    frame->row = row;
    stats->placed++;
}

static void count_outer_unknown(void *context, uint64_t count) {
    struct ts_call_stats *stats = context;
    stats->outer_unknown += count;
}

static void free_stream(struct ts_call_stats *stats, struct ts_call_stats_stream *stream) {
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        stats->streams = stream->next;
    if (stats->current == stream)
        stats->current = &no_stream;
    free(stream->frames);
    free(stream->open);
    free(stream);
}

static void count_thread(struct ts_call_stats *stats, const struct ts_stream *stream, uint64_t in_calls_ns) {
    if (stream->track) {
        stats->other_stacks += in_calls_ns != 0;
        return;
    }
    stats->threads++;
    stats->threads_ns += stream->end_ns > stream->start_ns ? stream->end_ns - stream->start_ns : 0;
    stats->in_calls_ns += in_calls_ns;
}

static void finish_stream(void *context, struct ts_stream *stream) {
    const struct ts_call_stats_stream *own = stream->user;
    if (!own)
        return;
    count_thread(context, stream, own->in_calls_ns);
    free_stream(context, stream->user);
    stream->user = NULL;
}

static struct ts_sink begin_part(const void *whole) {
    struct ts_call_stats_part *part = ts_memory_new(1, sizeof *part);
    part->stats.current = &part->stream;
    part->stats.with_squares = ((const struct ts_call_stats *)whole)->with_squares;
    return (struct ts_sink){
        .context = &part->stats, .enter = enter_call, .leave = leave_of(&part->stats), .failure = count_failure};
}

static size_t outer_left(const void *part) {
    return ((const struct ts_call_stats_part *)part)->ends.count;
}

static void add_count(struct ts_call_count *count, const struct ts_call_count *part) {
    if (part->calls && (count->calls == 0 || part->minimum < count->minimum))
        count->minimum = part->minimum;
    if (part->maximum > count->maximum)
        count->maximum = part->maximum;
    count->calls += part->calls;
    count->total += part->total;
    count->self += part->self;
    count->durations += part->durations;
    count->squares += part->squares;
    count->errors += part->errors;
    count->unfinished += part->unfinished;
    count->unwound += part->unwound;
}

static void add_totals(struct ts_call_stats *stats, const struct ts_call_stats *part) {
    stats->calls += part->calls;
    stats->unfinished += part->unfinished;
    stats->unwound += part->unwound;
    stats->errors += part->errors;
}

/* Ends the calls that ended in the part, as they would have ended in one replay, then opens those that it opened. */
static void join_part(void *context, void *part_pointer) {
    struct ts_call_stats *stats = context;
    struct ts_call_stats_part *part = part_pointer;
    struct ts_call_stats_stream *stream = stats->current, *from = &part->stream;
    uint32_t *rows = ts_memory_new(part->stats.rows.count, sizeof *rows);

    for (size_t i = 0; i < part->stats.rows.count; i++) {
        rows[i] = ts_function_rows_like(&stats->rows, &part->stats.rows.rows[i]);
        if (rows[i] >= stream->open_count)
            cover_row(stats, stream, rows[i]);
    }
    for (size_t i = 0; i < part->ends.count; i++) {
        const struct ts_outer_end *end = &part->ends.ends[i];
        stream->frames[stream->depth - 1].in_calls += end->in_calls;
        if (end->failed)
            count_failure(stats, NULL);
        leave_of(stats)(stats, end->end_ns, end->how);
    }
    for (size_t i = 0; i < part->stats.counts_count; i++)
        add_count(&stats->counts[rows[i]], &part->stats.counts[i]);
    add_totals(stats, &part->stats);
    stream->in_calls_ns += from->in_calls_ns;
    for (size_t i = 0; i < from->depth; i++) {
        struct frame frame = from->frames[i];
        if (frame.flags & TS_ENTER_OUTER) {
            stream->frames[i].in_calls += frame.in_calls;
            continue;
        }
        stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
        push_frame(stream, frame.start, rows[frame.row], frame.flags);
        stream->frames[stream->depth - 1].in_calls = frame.in_calls;
    }
    free(rows);
}

static void free_part(void *part_pointer) {
    struct ts_call_stats_part *part = part_pointer;
    free(part->stream.frames);
    free(part->stream.open);
    ts_outer_ends_free(&part->ends);
    ts_function_rows_free(&part->stats.rows);
    free(part->stats.counts);
    free(part);
}

static const struct ts_sink_parts parts = {
    .begin = begin_part, .outer_left = outer_left, .join = join_part, .free = free_part};

struct ts_sink ts_call_stats_sink(struct ts_call_stats *stats) {
    stats->current = &no_stream;
    return (struct ts_sink){.context = stats,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_of(stats),
                            .outer_unknown = count_outer_unknown,
                            .finish = finish_stream,
                            .failure = count_failure,
                            .site = stats->sites ? place_call : NULL,
                            .parts = stats->sites ? NULL : &parts}; /* which do not know where outer calls were made */
}

void ts_call_stats_free(struct ts_call_stats *stats) {
    while (stats->streams)
        free_stream(stats, stats->streams);
    ts_function_rows_free(&stats->rows);
    ts_site_rows_free(&stats->site_rows);
    free(stats->counts);
    memset(stats, 0, sizeof *stats);
}
