/*
 * The longest calls of a session, for formats that write at most so many: a first replay counts the calls by duration,
 * a second one writes those that ts_longest_keeps. A call lasts less than the calls around it, so what is kept nests as
 * before. Calls that never ended are always kept.
 */
#ifndef TRACESHIM_RENDER_LONGEST_H
#define TRACESHIM_RENDER_LONGEST_H

#include "render/replay.h"

#include <stdbool.h>

/* 64 for every power of two: a bucket is at most 1/64 of its durations wide, below 128 ns it is one duration. */
#define TS_DURATION_BUCKETS 3776

struct ts_duration_counts {
    uint64_t max_depth; /* calls with so many others open around them are not counted: they will not be written */
    uint64_t unfinished;
    uint64_t finished[TS_DURATION_BUCKETS];
    struct ts_duration_stream *current;
};

/* Which calls to keep. All zero: every call. */
struct ts_longest {
    uint64_t all_from_ns;  /* all that last so long, or longer */
    uint64_t some_from_ns; /* of the shorter ones that last so long, the first `room` */
    uint64_t room;
};

/* At least 1, which is what viewers draw as a call. */
static inline uint64_t ts_longest_duration(uint64_t start_ns, uint64_t end_ns) {
    return end_ns > start_ns ? end_ns - start_ns : 1;
}

/* Asked once for every call, in the order in which they end. */
static inline bool ts_longest_keeps(struct ts_longest *longest, uint64_t duration_ns, enum ts_leave_how how) {
    if (__builtin_expect(duration_ns >= longest->all_from_ns, 1) || how == TS_LEAVE_UNFINISHED)
        return true;
    if (duration_ns < longest->some_from_ns || longest->room == 0)
        return false;
    longest->room--;
    return true;
}

/* `counts` starts as zero but for max_depth. The sink uses ts_stream.user and frees it when a stream is finished. */
struct ts_sink ts_longest_sink(struct ts_duration_counts *counts);

/* Keeps exactly `max_calls` of the calls that were counted, or all where there are no more; all unfinished ones. */
struct ts_longest ts_longest_choose(const struct ts_duration_counts *counts, uint64_t max_calls);

/* Both, by a replay of the session; none where the files are too small to hold more than `max_calls`. */
struct ts_longest ts_longest_of(struct ts_session *session, uint64_t max_calls, uint64_t max_depth);

#endif
