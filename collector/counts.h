/*
 * How often code was executed: exact counts by the address that a coverage callback returns to, never events. Each
 * thread has tables of its own in the mapped trace file, so that a process that is killed loses nothing and a loop of
 * any length takes no more room than its code: 2 bytes of file for a byte of code that was executed (x86-64), and for
 * each thread that runs at the same time. The tables of an ended thread go on to the next one; the reader adds up.
 *
 *   thread -> directory (private memory, grows) -> records in the file: counters of TS_COUNTS_CODE bytes of code
 *
 * A forked child finds its directory wiped and so begins with counts of its own. Counters are 32 bits; one that wraps
 * carries into a second record, of units of 2^32. Lock-free; async-signal-safe: a counter is raised by one instruction,
 * and what is made at first use is made with signals blocked.
 */
#ifndef TRACESHIM_COLLECTOR_COUNTS_H
#define TRACESHIM_COLLECTOR_COUNTS_H

#include "collector/trace_format.h"
#include "cpu.h"

/* Code that shares one record. */
#define TS_COUNTS_CODE_SHIFT 10
#define TS_COUNTS_CODE (1u << TS_COUNTS_CODE_SHIFT)

/* What a directory knows by: number of a piece of code; of its carry; a place that has a record of its own. */
#define TS_COUNTS_CARRY (UINT64_C(1) << 62)
#define TS_COUNTS_PLACE (UINT64_C(1) << 63)

struct ts_counts_slot {
    volatile uint64_t key;    /* 0: free */
    volatile uint64_t counts; /* address of the record, as the file is mapped */
};

/* Wiped by fork. A larger one takes over; the old one stays, for the hook that a handler interrupted. */
struct ts_counts_directory {
    uint64_t room; /* where the next record goes, in the file as it is mapped */
    uint64_t room_end;
    uint64_t window_bytes; /* of the window that it is in; 0: none */
    uint64_t used;         /* slots */
    uint64_t pause;        /* events that are lost before room is asked for again */
    uint64_t reason;       /* why there was none: enum ts_lost_reason */
    uint64_t unused[2];
    struct ts_counts_slot slots[];
};

struct ts_counts {          /* of one thread */
    volatile uint64_t mask; /* slots - 1. Only grows, and is read before the directory */
    struct ts_counts_directory *volatile directory;
    struct ts_counts *next;
    uint32_t owned;
    uint32_t at_work; /* in the slow path */
};

/* Never NULL: a thread that has none yet finds an empty directory. */
extern __thread struct ts_counts *ts_this_counts __attribute__((tls_model("initial-exec")));

/* Set: executed code is counted. */
extern uint8_t ts_counts_on;

/* At start, when the trace is mapped. */
void ts_counts_begin(void);
/* Recording is paused, or not any more. Without effect before the beginning. */
void ts_counts_pause(int is_paused);
/* In a forked child of a kernel that does not wipe; before anything is counted in it. */
void ts_counts_after_fork(void);
/* A module is gone: what comes to its addresses is counted anew. Not in a signal handler. */
void ts_counts_forget(uint64_t low, uint64_t high);

void ts_counts_add_slow(uint64_t address);
void ts_counts_carry(uint64_t address);

/*
 * The record that this thread has for `key`, with TS_COUNTS_PLACE; made of the parts and `zeros` bytes of zeros where
 * there is none: `record` is its struct, whose head and clock are set here. `record` NULL: the key is remembered, with
 * no record. Returns the record; its first part otherwise; NULL: there is no room, and the event is lost.
 */
struct ts_counts_parts {
    uint32_t type;
    const void *record;
    uint32_t record_bytes;
    const void *values;
    uint32_t value_bytes;
    uint32_t zeros;
};
void *ts_counts_make(uint64_t key, const struct ts_counts_parts *parts);
/* The same where it is there already; NULL: it is not. */
void *ts_counts_find(uint64_t key);
/* What a key is remembered with that has no record. */
extern uint32_t ts_counts_nothing;

static inline uint64_t ts_counts_slot_of(uint64_t key) {
    return key & TS_COUNTS_PLACE ? key ^ key >> TS_COUNTS_CODE_SHIFT : key;
}

static inline volatile uint32_t *ts_counts_counter(uint64_t record, uint64_t address) {
    return (volatile uint32_t *)(record + sizeof(struct ts_record_line_counts)) +
           ((address & (TS_COUNTS_CODE - 1)) >> TS_CPU_CALL_SHIFT);
}

/* The code that a callback returns to, at `address`, is executed. About 15 instructions. */
static inline __attribute__((always_inline)) void ts_counts_add(uint64_t address) {
    struct ts_counts *counts = ts_this_counts;
    uint64_t mask = counts->mask, key = address >> TS_COUNTS_CODE_SHIFT;
    const struct ts_counts_slot *slot = &counts->directory->slots[key & mask];
    if (__builtin_expect(slot->key != key, 0)) {
        ts_counts_add_slow(address);
        return;
    }
    if (__builtin_expect(ts_cpu_count(ts_counts_counter(slot->counts, address)), 0))
        ts_counts_carry(address);
}

#endif
