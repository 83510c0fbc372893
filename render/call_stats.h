/*
 * Counts and times per function row (function_rows.h), over every thread and process of a session. Memory: one entry
 * per row, one frame per open call; a call costs a few nanoseconds.
 */
#ifndef TRACESHIM_RENDER_CALL_STATS_H
#define TRACESHIM_RENDER_CALL_STATS_H

#include "render/function_rows.h"
#include "render/replay.h"
#include "render/site_rows.h"

/* Times in ns. */
struct ts_call_count {
    uint64_t calls; /* without inherited ones (TS_ENTER_INHERITED) */
    uint64_t total; /* inside the function and what it calls; of nested calls of one row only the outermost counts */
    uint64_t self;  /* without what it calls */
    uint64_t durations;        /* sum over its calls, nested or not: the average is durations / calls */
    unsigned __int128 squares; /* sum of the squares of those durations; 0 without with_squares */
    uint64_t minimum;          /* of a call; 0 where there is none */
    uint64_t maximum;          /* of a call */
    uint64_t errors;           /* calls that failed, or were left by an exception */
    uint64_t unfinished;       /* calls counted up to their last known time */
    uint64_t unwound;          /* left by longjmp or an exception */
};

struct ts_call_stats {
    bool with_squares; /* set before the sink is made: for the variance (variance.h) alone, as it costs every call */
    struct ts_sites *sites; /* the session's: a row for each place that a function is called from; NULL: one for all */
    struct ts_function_rows rows;
    struct ts_call_count *counts; /* by row, rows.count of them */
    size_t counts_capacity;
    size_t counts_count;
    uint64_t calls;
    uint64_t unfinished;
    uint64_t unwound;
    uint64_t errors;
    uint64_t inherited;
    uint64_t outer_unknown;
    /*
     * Of the threads that have finished: how long they were known, and how much of that was in calls. Calls on stacks
     * beside the thread's own, which its time may be in meanwhile, are not among them, but counted.
     */
    uint64_t threads;
    uint64_t threads_ns;
    uint64_t in_calls_ns;
    uint64_t other_stacks; /* so many had calls */
    uint64_t placed;       /* calls of which the place is known, where they are counted by it */
    struct ts_site_rows site_rows;
    struct ts_call_stats_stream *current;
    struct ts_call_stats_stream *streams;
};

/* `stats` starts as all zero but for with_squares and sites. The sink uses ts_stream.user. */
struct ts_sink ts_call_stats_sink(struct ts_call_stats *stats);
void ts_call_stats_free(struct ts_call_stats *stats);

#endif
