#include "render/longest.h"

#include "render/memory.h"

#include <stdlib.h>

enum { BUCKETS_OF_POWER = 64, LOG2_BUCKETS_OF_POWER = 6 };

struct ts_duration_stream {
    uint64_t depth;   /* open calls; those beyond max_depth have no start */
    uint64_t *starts; /* ns */
    size_t capacity;
};

static size_t bucket_of(uint64_t ns) {
    unsigned shift = 63 - LOG2_BUCKETS_OF_POWER - (unsigned)__builtin_clzll(ns | BUCKETS_OF_POWER);
    return shift * BUCKETS_OF_POWER + (ns >> shift);
}

/* The shortest duration of a bucket. */
static uint64_t bucket_begin(size_t bucket) {
    if (bucket < BUCKETS_OF_POWER)
        return bucket;
    return (BUCKETS_OF_POWER + (uint64_t)bucket % BUCKETS_OF_POWER) << (bucket / BUCKETS_OF_POWER - 1);
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_duration_counts *counts = context;

    if (!stream->user)
        stream->user = ts_memory_new(1, sizeof(struct ts_duration_stream));
    counts->current = stream->user;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_duration_counts *counts = context;
    struct ts_duration_stream *stream = counts->current;

    (void)function;
    (void)flags;
    if (!stream)
        return;
    if (stream->depth < counts->max_depth) {
        if (stream->depth == stream->capacity)
            stream->starts =
                ts_memory_grow(stream->starts, &stream->capacity, stream->depth + 1, sizeof *stream->starts);
        stream->starts[stream->depth] = start_ns;
    }
    stream->depth++;
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_duration_counts *counts = context;
    struct ts_duration_stream *stream = counts->current;

    if (!stream || stream->depth == 0 || --stream->depth >= counts->max_depth)
        return;
    if (how == TS_LEAVE_UNFINISHED)
        counts->unfinished++;
    else
        counts->finished[bucket_of(ts_longest_duration(stream->starts[stream->depth], end_ns))]++;
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_duration_counts *counts = context;
    struct ts_duration_stream *own = stream->user;

    if (!own)
        return;
    if (counts->current == own)
        counts->current = NULL;
    free(own->starts);
    free(own);
    stream->user = NULL;
}

struct ts_sink ts_longest_sink(struct ts_duration_counts *counts) {
    return (struct ts_sink){
        .context = counts, .select = select_stream, .enter = enter_call, .leave = leave_call, .finish = finish_stream};
}

struct ts_longest ts_longest_choose(const struct ts_duration_counts *counts, uint64_t max_calls) {
    uint64_t room = max_calls > counts->unfinished ? max_calls - counts->unfinished : 0;
    size_t bucket = TS_DURATION_BUCKETS;

    while (bucket > 0 && counts->finished[bucket - 1] <= room)
        room -= counts->finished[--bucket];
    if (bucket == 0)
        return (struct ts_longest){0};
    return (struct ts_longest){.all_from_ns = bucket < TS_DURATION_BUCKETS ? bucket_begin(bucket) : UINT64_MAX,
                               .some_from_ns = bucket_begin(bucket - 1),
                               .room = room};
}

struct ts_longest ts_longest_of(struct ts_session *session, uint64_t max_calls, uint64_t max_depth) {
    struct ts_longest longest = {0};

    if (ts_replay_estimate_calls(session) <= max_calls)
        return longest;
    struct ts_duration_counts *counts = ts_memory_new(1, sizeof *counts);
    counts->max_depth = max_depth;
    struct ts_sink sink = ts_longest_sink(counts);
    ts_replay(session, &sink, NULL);
    longest = ts_longest_choose(counts, max_calls);
    free(counts);
    return longest;
}
