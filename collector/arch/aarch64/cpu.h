/*
 * What the recorder needs from aarch64: the clock, the reservation, the system call. Included as "cpu.h"; the build
 * puts collector/arch/<cpu> on the include path.
 *
 * A signal handler sees what its own thread did before, in order, as on any processor. Other threads and processes see
 * plain stores in any order: what they may read while this thread runs is published by a store with release.
 */
#ifndef TRACESHIM_COLLECTOR_CPU_H
#define TRACESHIM_COLLECTOR_CPU_H

#include <elf.h>
#include <stdint.h>

#define TS_CPU_ELF_MACHINE EM_AARCH64
#define TS_CPU_CLOCK_KIND TS_CLOCK_CNTVCT
#define TS_CPU_CLOCK_SHIFT 2 /* short records do not keep the two low bits */

/*
 * The virtual counter; usual rates are 1 GHz, 62.5, 50 and 25 MHz. Without a barrier: two reads of it in one thread
 * keep their order (Arm ARM, "Synchronization requirements for System registers"), which is all that nesting needs, and
 * `isb` empties the pipeline. Where an erratum makes it unreliable, Linux traps the read and answers right.
 */
static inline __attribute__((always_inline)) uint64_t ts_cpu_clock(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks << TS_CPU_CLOCK_SHIFT;
}

/*
 * Adds `bytes` to *cursor and returns what it was. Atomic against signal handlers of this thread, no other thread
 * writes the cursor: `ldadd` where the build targets the Large System Extensions, else `ldxr` and `stxr`, between which
 * a handler makes the store fail (returning from an exception clears the monitor), so that the loop reads again.
 * Without order towards other threads. Not chosen at run time: on a line that nobody else writes both take the same few
 * cycles, less than a choice would.
 */
static inline __attribute__((always_inline)) uint64_t ts_cpu_reserve(volatile uint64_t *cursor, uint64_t bytes) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint64_t before = __atomic_fetch_add(cursor, bytes, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return before;
}

/* Replaces *cursor by `to` if it is `from`, atomically against handlers of this thread only. */
static inline __attribute__((always_inline)) int ts_cpu_replace(volatile uint64_t *cursor, uint64_t from, uint64_t to) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    int done = __atomic_compare_exchange_n(cursor, &from, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return done;
}

/* Adds one to *counter, as above. Returns whether it has wrapped to 0. */
static inline __attribute__((always_inline)) int ts_cpu_count(volatile uint32_t *counter) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t before = __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return before == UINT32_MAX;
}

/* The shortest call instruction, as a power of two: return addresses lie at least that far apart. */
#define TS_CPU_CALL_SHIFT 2

/* For a function that calls other libraries: the processor itself wants an aligned stack. */
#define TS_CPU_ALIGNS_STACK

/* Zeroes whole 8-byte words. Not memset: that may be the program's own, and its vector registers are not ours. */
static inline void ts_cpu_zero(void *start, uint64_t bytes) {
    char *at = start, *pairs_end = at + (bytes & ~UINT64_C(15));
    for (; at < pairs_end; at += 16)
        __asm__ volatile("stp xzr, xzr, [%0]" : : "r"(at) : "memory");
    if (bytes & 8)
        *(volatile uint64_t *)at = 0;
}

static inline int64_t ts_cpu_system_call(int64_t number, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e,
                                         int64_t f) {
    register int64_t x8 __asm__("x8") = number;
    register int64_t x0 __asm__("x0") = a;
    register int64_t x1 __asm__("x1") = b;
    register int64_t x2 __asm__("x2") = c;
    register int64_t x3 __asm__("x3") = d;
    register int64_t x4 __asm__("x4") = e;
    register int64_t x5 __asm__("x5") = f;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
    return x0;
}

/* Whether the processor promises a counter of constant rate that never stops: it does. */
int ts_cpu_clock_is_constant(void);
/* The rate of the clock as firmware states it, shifted like the clock; 0: not stated. */
uint64_t ts_cpu_clock_hz(void);

#endif
