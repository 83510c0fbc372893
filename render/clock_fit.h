/*
 * Ticks of a trace's clock as CLOCK_MONOTONIC nanoseconds: one monotone, piecewise linear function per file, through
 * moments at which both were read. Such a pair may be off (the reader was interrupted between the two clocks), too
 * close to another to tell a rate, or damaged; the rate itself changes a little (NTP) and breaks at a suspend.
 */
#ifndef TRACESHIM_RENDER_CLOCK_FIT_H
#define TRACESHIM_RENDER_CLOCK_FIT_H

#include <stddef.h>
#include <stdint.h>

struct ts_clock_point {
    uint64_t clock; /* ticks */
    uint64_t ns;    /* CLOCK_MONOTONIC */
};

/* For clocks in [clock, clock + span): ns + (ticks since clock) * rate / 2^TS_CLOCK_RATE_SHIFT, rounded down. */
#define TS_CLOCK_RATE_SHIFT 52
struct ts_clock_piece {
    uint64_t clock;
    uint64_t span;
    uint64_t ns;
    uint64_t rate;
};

enum ts_clock_rate_source {
    TS_CLOCK_RATE_EXACT = 0, /* the clock is CLOCK_MONOTONIC itself */
    TS_CLOCK_RATE_PAIRS,
    TS_CLOCK_RATE_STATED, /* by the kernel or processor (tick_hz) */
    TS_CLOCK_RATE_SHORT,  /* from pairs closer than the baseline: exact between them, less so beyond */
    TS_CLOCK_RATE_GUESS,  /* nothing known: one tick is taken for one nanosecond */
};

struct ts_clock_fit {
    struct ts_clock_piece *pieces; /* together they cover every 64-bit clock value */
    size_t piece_count;
    enum ts_clock_rate_source source; /* of the rate outside the pairs, and everywhere when they are too few */
    uint64_t hz;                      /* ticks per second, rounded */
    uint64_t short_ns;                /* TS_CLOCK_RATE_SHORT: how far apart those pairs are; else 0 */
    size_t point_count;
    size_t outliers;            /* points further than 100 us from the function: left out of it */
    uint64_t worst_residual_ns; /* of the others */
};

/* A duration that two pairs must be apart to define a rate. */
#define TS_CLOCK_BASELINE_NS UINT64_C(10000000)

/*
 * Fits `points` (sorted in place; all-zero ones are ignored). `clock_kind` and `tick_hz` are the file header's. Nothing
 * but the trace counts: it shows the same times whenever and wherever it is read.
 */
void ts_clock_fit_make(struct ts_clock_fit *fit, uint32_t clock_kind, uint64_t tick_hz, struct ts_clock_point *points,
                       size_t count);
void ts_clock_fit_free(struct ts_clock_fit *fit);

/* The piece that holds this clock value. */
const struct ts_clock_piece *ts_clock_fit_piece(const struct ts_clock_fit *fit, uint64_t clock);

static inline uint64_t ts_clock_piece_ns(const struct ts_clock_piece *piece, uint64_t clock) {
    return piece->ns + (uint64_t)((unsigned __int128)(clock - piece->clock) * piece->rate >> TS_CLOCK_RATE_SHIFT);
}

static inline uint64_t ts_clock_fit_ns(const struct ts_clock_fit *fit, uint64_t clock) {
    return ts_clock_piece_ns(ts_clock_fit_piece(fit, clock), clock);
}

#endif
