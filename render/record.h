/*
 * Reading records of collector/trace_format.h out of a private copy of a window: nothing here trusts a length or a
 * type.
 */
#ifndef TRACESHIM_RENDER_RECORD_H
#define TRACESHIM_RENDER_RECORD_H

#include "collector/trace_format.h"

enum ts_word {
    TS_WORD_HOLE,    /* one word */
    TS_WORD_PENDING, /* a record that was never completed */
    TS_WORD_ENTER,
    TS_WORD_EXIT,
    TS_WORD_TAGGED, /* any type, also unknown ones; at least as long as a known type's struct */
    TS_WORD_DAMAGED /* nothing behind it can be read */
};

/* What begins at `at` < `end`, and how many words it takes (never past `end`; 1 where damaged). */
enum ts_word ts_record_at(const uint32_t *at, const uint32_t *end, uint32_t *words);

/* The first word at or after `at` that is not zero, or `end`. */
const uint32_t *ts_record_skip_holes(const uint32_t *at, const uint32_t *end);

/* Bytes of the type's struct; 4 for a type whose layout this version does not know. */
uint32_t ts_record_bytes(uint32_t type);

/*
 * The clock of a tagged record that says what a thread did at that moment. Returns 0 for other types, and those whose
 * clock is not the thread's own time.
 */
int ts_record_event_clock(const uint32_t *at, uint64_t *clock);

/* TIME, PROCESS, ...; NULL for a type that this version does not know. */
const char *ts_record_name(uint32_t type);

static inline uint64_t ts_record_u64(struct ts_u64 value) {
    return (uint64_t)value.high << 32 | value.low;
}

/*
 * How far ahead of the newest clock a field may be before it is taken for one of the past. The recorder keeps it below
 * 2^30; the slack leaves three quarters of the remaining range to the past.
 */
#define TS_CLOCK_SLACK (UINT32_C(1) << 28)
#define TS_CLOCK_AHEAD ((UINT32_C(1) << TS_EPOCH_SHIFT) + TS_CLOCK_SLACK)

/* The full clock of a record's head. *newest is the largest clock of the window so far and grows. */
static inline uint64_t ts_record_clock(uint64_t *newest, uint32_t head) {
    uint32_t ahead = (head & TS_CLOCK_FIELD) - (uint32_t)*newest;
    if (__builtin_expect(ahead < TS_CLOCK_AHEAD, 1))
        return *newest += ahead;
    uint32_t behind = -ahead;
    return *newest > behind ? *newest - behind : 0;
}

/*
 * A TIME record is believed within these bounds around its window's clock: below, what a late record may say; above,
 * years. Anything else is a damaged file and would throw every later record far off.
 */
#define TS_TIME_EARLIEST (UINT64_C(1) << 33)
#define TS_TIME_LATEST (UINT64_C(1) << 58)

static inline int ts_record_time_holds(uint64_t time, uint64_t window_clock) {
    return time >= window_clock ? time - window_clock < TS_TIME_LATEST : window_clock - time < TS_TIME_EARLIEST;
}

#endif
