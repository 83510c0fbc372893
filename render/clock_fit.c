#include "render/clock_fit.h"

#include "collector/trace_format.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* Times past this (146 years of uptime) only come from damage; the function is constant there, so nothing overflows. */
#define LATEST_NS (UINT64_C(1) << 62)
#define MAX_KNOTS 256
#define OUTLIER_NS 100000
/* The rate is told from pairs of so many, spread over all of them. */
#define RATE_POINTS 64

/* Rates that a real clock can have: 64 GHz down to 1 MHz. */
#define RATE_ONE (UINT64_C(1) << TS_CLOCK_RATE_SHIFT)
#define RATE_LEAST (RATE_ONE / 64)
#define RATE_MOST (RATE_ONE * 1000)

/* Rates are rounded up: then a line is never a whole nanosecond short of its true value. */
static wide divide_up(wide dividend, uint64_t divisor) {
    return (dividend + divisor - 1) / divisor;
}

/* 0 when the two points define no possible rate. */
static uint64_t rate_between(struct ts_clock_point from, struct ts_clock_point to) {
    if (to.clock <= from.clock || to.ns <= from.ns)
        return 0;
    wide rate = divide_up((wide)(to.ns - from.ns) << TS_CLOCK_RATE_SHIFT, to.clock - from.clock);
    return rate >= RATE_LEAST && rate <= RATE_MOST ? (uint64_t)rate : 0;
}

static uint64_t ticks_ns(uint64_t ticks, uint64_t rate) {
    wide ns = (wide)ticks * rate >> TS_CLOCK_RATE_SHIFT;
    return ns < LATEST_NS ? (uint64_t)ns : LATEST_NS;
}

/* How far `point` lies above the line through `origin`. */
static int64_t residual(struct ts_clock_point origin, uint64_t rate, struct ts_clock_point point) {
    uint64_t line = origin.ns;
    if (point.clock >= origin.clock)
        line += ticks_ns(point.clock - origin.clock, rate);
    else
        line -= ticks_ns(origin.clock - point.clock, rate);
    return (int64_t)(point.ns - line);
}

static int compare_points(const void *left, const void *right) {
    const struct ts_clock_point *a = left;
    const struct ts_clock_point *b = right;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static int compare_u64(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static int rates_agree(uint64_t a, uint64_t b) {
    uint64_t apart = a > b ? a - b : b - a;
    return apart <= a / 256;
}

/*
 * The rate that most pairs of points agree on; those that belong together agree, others differ each in its own way: of
 * readers that were interrupted, or of a child in another time namespace. 0 when no pair spans `baseline_ns`.
 */
static uint64_t common_rate(const struct ts_clock_point *points, size_t count, uint64_t baseline_ns) {
    uint64_t rates[RATE_POINTS * (RATE_POINTS - 1) / 2];
    size_t found = 0, begin = 0, best = 0, most = 0;
    size_t sampled = count < RATE_POINTS ? count : RATE_POINTS;
    for (size_t i = 0; i < sampled; i++)
        for (size_t j = i + 1; j < sampled; j++) {
            struct ts_clock_point from = points[i * (count - 1) / (sampled - 1)];
            struct ts_clock_point to = points[j * (count - 1) / (sampled - 1)];
            uint64_t rate = rate_between(from, to);
            if (rate && to.ns - from.ns >= baseline_ns)
                rates[found++] = rate;
        }
    if (!found)
        return 0;
    qsort(rates, found, sizeof(*rates), compare_u64);
    for (size_t end = 0; end < found; end++) {
        while (!rates_agree(rates[begin], rates[end]))
            begin++;
        if (end + 1 - begin > most) {
            most = end + 1 - begin;
            best = begin;
        }
    }
    return rates[best + most / 2];
}

/*
 * From pairs that are close to each other: the rate of the two that are furthest apart, of those that agree with most.
 * Reading a pair is off by some ten nanoseconds, whatever lies between. 0: none.
 */
static uint64_t short_rate(struct ts_clock_fit *fit, const struct ts_clock_point *points, size_t count) {
    uint64_t rough = common_rate(points, count, 1000), best = rough, ticks = 0;
    size_t sampled = count < RATE_POINTS ? count : RATE_POINTS;
    for (size_t i = 0; rough && i < sampled; i++)
        for (size_t j = i + 1; j < sampled; j++) {
            struct ts_clock_point from = points[i * (count - 1) / (sampled - 1)];
            struct ts_clock_point to = points[j * (count - 1) / (sampled - 1)];
            uint64_t rate = rate_between(from, to);
            if (rate && rates_agree(rough, rate) && to.clock - from.clock > ticks) {
                ticks = to.clock - from.clock;
                best = rate;
            }
        }
    fit->short_ns = ticks_ns(ticks, best);
    return best;
}

static uint64_t choose_rate(struct ts_clock_fit *fit, uint64_t tick_hz, const struct ts_clock_point *points,
                            size_t count) {
    uint64_t hint = 0;
    if (tick_hz >= 1000000 && tick_hz <= UINT64_C(64000000000)) {
        hint = (uint64_t)divide_up((wide)1000000000 << TS_CLOCK_RATE_SHIFT, tick_hz);
        fit->source = TS_CLOCK_RATE_STATED;
    }
    uint64_t measured = common_rate(points, count, TS_CLOCK_BASELINE_NS);
    /* Few pairs that contradict the hint are bad pairs; many are right. */
    if (measured && (!hint || rates_agree(hint, measured) || count >= 16)) {
        fit->source = TS_CLOCK_RATE_PAIRS;
        return measured;
    }
    if (hint)
        return hint;
    fit->source = TS_CLOCK_RATE_SHORT;
    uint64_t rate = short_rate(fit, points, count);
    if (rate)
        return rate;
    fit->source = TS_CLOCK_RATE_GUESS;
    return RATE_ONE;
}

struct candidate {
    struct ts_clock_point point;
    int64_t residual;
};

static int compare_candidates(const void *left, const void *right) {
    const struct candidate *a = left;
    const struct candidate *b = right;
    return (a->residual > b->residual) - (a->residual < b->residual);
}

/*
 * One point for each stretch: the one with the median residual. A stretch lasts for the baseline at least and holds so
 * many points that there are at most MAX_KNOTS.
 */
static size_t choose_knots(const struct ts_clock_point *points, size_t count, uint64_t rate,
                           struct ts_clock_point *knots, struct candidate *scratch) {
    uint64_t width = (uint64_t)(((wide)TS_CLOCK_BASELINE_NS << TS_CLOCK_RATE_SHIFT) / rate);
    size_t least = count / MAX_KNOTS + 1;
    size_t found = 0;
    for (size_t i = 0; i < count && found < MAX_KNOTS;) {
        size_t in_stretch = 0;
        uint64_t begin = points[i].clock;
        for (; i < count && (points[i].clock - begin < width || in_stretch < least); i++)
            scratch[in_stretch++] = (struct candidate){points[i], residual(points[0], rate, points[i])};
        qsort(scratch, in_stretch, sizeof(*scratch), compare_candidates);
        knots[found++] = scratch[(in_stretch - 1) / 2].point;
    }
    return found;
}

/* Whether the clock can have run from one to the other: NTP bends the rate by at most 500 ppm, a pair is off by 2 us.
 */
static int consistent(struct ts_clock_point from, struct ts_clock_point to, uint64_t rate) {
    int64_t apart = residual(from, rate, to);
    uint64_t size = apart < 0 ? -(uint64_t)apart : (uint64_t)apart;
    return size <= 2000 + (to.ns - from.ns) / 1024;
}

/*
 * Keeps the chain of knots that agree best: every knot counts one, every break between neighbours that do not agree
 * costs two. So a single knot that is off is dropped, and the two sides of a suspend both stay. No break has more
 * nanoseconds than ticks: those of another time namespace would look so, and would last for its offset.
 */
static size_t keep_best_chain(struct ts_clock_point *knots, size_t count, uint64_t rate) {
    int score[MAX_KNOTS];
    size_t before[MAX_KNOTS];
    size_t best = 0;
    for (size_t j = 0; j < count; j++) {
        score[j] = 1;
        before[j] = j;
        for (size_t i = 0; i < j; i++) {
            if (knots[j].ns < knots[i].ns || knots[j].clock <= knots[i].clock)
                continue;
            int agree = consistent(knots[i], knots[j], rate);
            if (!agree && residual(knots[i], rate, knots[j]) > 0)
                continue;
            int with = score[i] + (agree ? 1 : -1);
            if (with >= score[j] && with > 0) {
                score[j] = with;
                before[j] = i;
            }
        }
        if (score[j] > score[best])
            best = j;
    }
    struct ts_clock_point kept[MAX_KNOTS];
    size_t first = MAX_KNOTS;
    for (size_t i = best;; i = before[i]) {
        kept[--first] = knots[i];
        if (before[i] == i)
            break;
    }
    memcpy(knots, kept + first, (MAX_KNOTS - first) * sizeof(*knots));
    return MAX_KNOTS - first;
}

/* Pieces between the knots (none: one at 0), before the first and after the last at `rate`; constant at the ends. */
static void build_pieces(struct ts_clock_fit *fit, const struct ts_clock_point *knots, size_t count, uint64_t rate) {
    struct ts_clock_point first = count ? knots[0] : (struct ts_clock_point){0, 0};
    struct ts_clock_point last = count ? knots[count - 1] : first;
    struct ts_clock_piece *piece = ts_memory_new(count + 4, sizeof(*piece));
    fit->pieces = piece;

    wide ticks_to_zero = ((wide)first.ns << TS_CLOCK_RATE_SHIFT) / rate;
    uint64_t back = ticks_to_zero < first.clock ? (uint64_t)ticks_to_zero : first.clock;
    uint64_t begin_ns = first.ns - ticks_ns(back, rate);
    if (back < first.clock)
        *piece++ = (struct ts_clock_piece){0, first.clock - back, begin_ns, 0};
    if (back)
        *piece++ = (struct ts_clock_piece){first.clock - back, back, begin_ns, rate};
    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t span = knots[i + 1].clock - knots[i].clock;
        wide rise = (wide)(knots[i + 1].ns - knots[i].ns) << TS_CLOCK_RATE_SHIFT;
        /* Rounded up, a longer piece could end behind the next one's start. */
        wide slope = span < RATE_ONE ? divide_up(rise, span) : rise / span;
        *piece++ =
            (struct ts_clock_piece){knots[i].clock, span, knots[i].ns, slope < RATE_MOST ? (uint64_t)slope : RATE_MOST};
    }
    uint64_t to_end = UINT64_MAX - last.clock;
    wide ticks_to_latest = last.ns < LATEST_NS ? ((wide)(LATEST_NS - last.ns) << TS_CLOCK_RATE_SHIFT) / rate : 0;
    if (ticks_to_latest < to_end) {
        uint64_t ahead = (uint64_t)ticks_to_latest;
        if (ahead)
            *piece++ = (struct ts_clock_piece){last.clock, ahead, last.ns, rate};
        *piece++ = (struct ts_clock_piece){last.clock + ahead, UINT64_MAX, last.ns + ticks_ns(ahead, rate), 0};
    } else {
        *piece++ = (struct ts_clock_piece){last.clock, UINT64_MAX, last.ns, rate};
    }
    fit->piece_count = (size_t)(piece - fit->pieces);
}

static void measure_residuals(struct ts_clock_fit *fit, const struct ts_clock_point *points, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t ns = ts_clock_fit_ns(fit, points[i].clock);
        uint64_t off = ns > points[i].ns ? ns - points[i].ns : points[i].ns - ns;
        if (off > OUTLIER_NS)
            fit->outliers++;
        else if (off > fit->worst_residual_ns)
            fit->worst_residual_ns = off;
    }
}

static size_t drop_unusable(struct ts_clock_point *points, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (points[i].clock && points[i].ns && points[i].ns < LATEST_NS)
            points[kept++] = points[i];
    return kept;
}

void ts_clock_fit_make(struct ts_clock_fit *fit, uint32_t clock_kind, uint64_t tick_hz, struct ts_clock_point *points,
                       size_t count) {
    *fit = (struct ts_clock_fit){0};
    count = drop_unusable(points, count);
    if (count)
        qsort(points, count, sizeof(*points), compare_points);
    fit->point_count = count;

    struct ts_clock_point knots[MAX_KNOTS];
    size_t knot_count = 0;
    uint64_t rate;
    if (clock_kind == TS_CLOCK_MONOTONIC) {
        rate = RATE_ONE / 4;
    } else {
        rate = choose_rate(fit, tick_hz, points, count);
        struct candidate *scratch = ts_memory_new(count, sizeof(*scratch));
        if (count)
            knot_count = keep_best_chain(knots, choose_knots(points, count, rate, knots, scratch), rate);
        free(scratch);
    }
    fit->hz = (uint64_t)((((wide)1000000000 << TS_CLOCK_RATE_SHIFT) + rate / 2) / rate);
    build_pieces(fit, knots, knot_count, rate);
    measure_residuals(fit, points, count);
}

void ts_clock_fit_free(struct ts_clock_fit *fit) {
    free(fit->pieces);
    *fit = (struct ts_clock_fit){0};
}

const struct ts_clock_piece *ts_clock_fit_piece(const struct ts_clock_fit *fit, uint64_t clock) {
    size_t low = 0;
    size_t high = fit->piece_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (fit->pieces[middle].clock <= clock)
            low = middle;
        else
            high = middle;
    }
    return &fit->pieces[low];
}
