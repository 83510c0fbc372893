/*
 * What a trace file says, read by its format's description alone: no code of the renderer, so that a mistake there
 * cannot hide one of the recorder. For traces of tests only; it trusts what it reads as far as it asserts.
 */
#ifndef TRACESHIM_TESTS_READING_H
#define TRACESHIM_TESTS_READING_H

#include "collector/trace_format.h"

#include <stddef.h>
#include <stdint.h>

struct reading {
    uint8_t *bytes;
    size_t size;
    const struct ts_file_header *header;
    const struct ts_window_header **windows; /* complete ones: by thread, then sequence */
    size_t window_count;
};

enum { READING_ENTER = 0x1000, READING_EXIT, READING_HOLE, READING_PENDING };

struct reading_event {
    unsigned type;         /* enum ts_record_type or one of the above; ENTER_WIDE and RESULT come as READING_* */
    uint64_t clock;        /* ENTER, EXIT and records that have one */
    uint64_t address;      /* ENTER: what the record holds of it */
    const uint32_t *words; /* tagged: the record */
    const struct ts_window_header *window;
};

/* The file, mapped: nothing may be recorded from here on until it is closed. */
struct reading *reading_open(const char *path);
void reading_close(struct reading *reading);

/* Calls `use` for each word or record of the thread's windows, in order. Thread 0: the control windows. */
typedef void reading_use(void *context, const struct reading_event *event);
void reading_each(const struct reading *reading, uint32_t thread, reading_use *use, void *context);

/* The n-th record of this type (from 0) of the thread; words NULL when there are fewer. */
struct reading_event reading_find(const struct reading *reading, uint32_t thread, unsigned type, unsigned n);

struct reading_counts {
    uint64_t windows;
    uint64_t enters;
    uint64_t exits;
    uint64_t unwound; /* calls, by UNWIND records */
    uint64_t unwinds; /* UNWIND records */
    uint64_t jumped;  /* calls, by those whose reason is a jump */
    uint64_t times;
    uint64_t pairs; /* CLOCK_PAIR */
    uint64_t switches;
    uint64_t thread_ends;
    uint64_t lost; /* events, by LOST records */
    uint64_t holes;
    uint64_t pending;
};
struct reading_counts reading_count(const struct reading *reading, uint32_t thread);

/*
 * Replays a thread of a trace that lost nothing and asserts what every window's header says: depth, open calls, lowest
 * depth, the counts of a closed one. Returns the calls that are open at the end, on all tracks.
 */
uint64_t reading_check_thread(const struct reading *reading, uint32_t thread);

/* ENTER records of the thread whose innermost open call is `parent` (0: none), by function. */
uint64_t reading_calls_below(const struct reading *reading, uint32_t thread, uint64_t function, uint64_t parent);

static inline uint64_t reading_u64(struct ts_u64 value) {
    return (uint64_t)value.high << 32 | value.low;
}

#endif
