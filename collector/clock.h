/*
 * The clock of a trace: the processor's counter where it is usable, else CLOCK_MONOTONIC. Decided once, at start.
 * Ticks are 64-bit; their two low bits are not kept in short records, so kinds with coarse units are shifted left by 2.
 */
#ifndef TRACESHIM_COLLECTOR_CLOCK_H
#define TRACESHIM_COLLECTOR_CLOCK_H

#include "collector/system.h"
#include "collector/trace_format.h"
#include "cpu.h"

/* The hot path is compiled once for each: the choice costs nothing there. */
enum ts_clock_source { TS_CLOCK_SOURCE_CPU, TS_CLOCK_SOURCE_SYSTEM };

/* Ticks of the system's clock: ns << 2, or what ts_clock_leave_counter made of it. */
uint64_t ts_clock_system(void);

static inline __attribute__((always_inline)) uint64_t ts_clock_read(enum ts_clock_source source) {
    return __builtin_expect(source == TS_CLOCK_SOURCE_CPU, 1) ? ts_cpu_clock() : ts_clock_system();
}

/* Of this process; set by ts_clock_choose, and by ts_clock_leave_counter. */
extern enum ts_clock_source ts_clock_source;

/*
 * Takes the processor's counter if reading it is allowed (PR_GET_TSC), its rate is constant, and the kernel itself
 * keeps time by it; else the system's clock. `force_system` is for tests and for users who distrust their counter.
 */
void ts_clock_choose(int force_system);

static inline uint64_t ts_clock_now(void) {
    return ts_clock_read(ts_clock_source);
}

enum ts_clock_kind ts_clock_kind(void);
/* Ticks per second as stated by the processor, 0 when unknown. */
uint64_t ts_clock_hz(void);
/* The same, or where it is not stated what half a millisecond of both clocks tells. */
uint64_t ts_clock_hz_measured(void);

/*
 * The processor's counter is about to be forbidden (PR_SET_TSC, strict seccomp): reading it would end the program. From
 * then on ticks of the same rate come from the system's clock. Returns whether they did not yet: then the hooks that
 * read the counter must be replaced.
 */
int ts_clock_leave_counter(void);
/* After system calls were forbidden, at `clock`: the system's clock is another one now, the ticks go on. */
void ts_clock_continue(uint64_t clock);

/* How much CLOCK_BOOTTIME, which goes on while the machine sleeps, is ahead of CLOCK_MONOTONIC. */
uint64_t ts_clock_suspended_ns(void);

/* One moment on all clocks, as tight as a few tries allow (tens of ns). Async-signal-safe. */
void ts_clock_pair_take(struct ts_clock_pair *pair);
/*
 * The same by one system call (within a microsecond), and without the real time: for a forked child, where each page of
 * libc's way to the clock costs a page fault.
 */
void ts_clock_pair_take_in_child(struct ts_clock_pair *pair);

#endif
