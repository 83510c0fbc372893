/*
 * What the recorder needs from x86-64: the clock, the reservation, the system call. Included as "cpu.h"; the build puts
 * collector/arch/<cpu> on the include path.
 */
#ifndef TRACESHIM_COLLECTOR_CPU_H
#define TRACESHIM_COLLECTOR_CPU_H

#include <elf.h>
#include <stdint.h>

#define TS_CPU_ELF_MACHINE EM_X86_64
#define TS_CPU_CLOCK_KIND TS_CLOCK_TSC

/*
 * Time stamp counter, 64 bits. Not serialising: the order of two reads in one thread holds, which is all that nesting
 * needs, and a serialising form costs 4 to 8 ns more.
 */
static inline __attribute__((always_inline)) uint64_t ts_cpu_clock(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/*
 * Adds `bytes` to *cursor and returns what it was. One instruction without the lock prefix: a signal handler of this
 * thread comes before or after it, never between its load and its store, and no other thread writes the cursor.
 */
static inline __attribute__((always_inline)) uint64_t ts_cpu_reserve(volatile uint64_t *cursor, uint64_t bytes) {
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(*cursor) : : "memory", "cc");
    return bytes;
}

/* Replaces *cursor by `to` if it is `from`, atomically against handlers of this thread only. */
static inline __attribute__((always_inline)) int ts_cpu_replace(volatile uint64_t *cursor, uint64_t from, uint64_t to) {
    uint8_t done;
    __asm__ volatile("cmpxchgq %3, %1\n\tsete %0" : "=q"(done), "+m"(*cursor), "+a"(from) : "r"(to) : "memory", "cc");
    return done;
}

/* Adds one to *counter, in one instruction as above. Returns whether it has wrapped to 0. */
static inline __attribute__((always_inline)) int ts_cpu_count(volatile uint32_t *counter) {
    int wrapped;
    __asm__ volatile("addl $1, %1" : "=@ccc"(wrapped), "+m"(*counter) : : "memory");
    return wrapped;
}

/* The shortest call instruction, as a power of two: return addresses lie at least that far apart. */
#define TS_CPU_CALL_SHIFT 1

/* Zeroes whole 8-byte words. Not memset: that may be the program's own, and its vector registers are not ours. */
static inline void ts_cpu_zero(void *start, uint64_t bytes) {
    uint64_t words = bytes / 8;
    __asm__ volatile("rep stosq" : "+D"(start), "+c"(words) : "a"(0) : "memory", "cc");
}

static inline int64_t ts_cpu_system_call(int64_t number, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e,
                                         int64_t f) {
    int64_t result;
    register int64_t r10 __asm__("r10") = d;
    register int64_t r8 __asm__("r8") = e;
    register int64_t r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/*
 * For a function that a program's call leads to and that calls other libraries: they may use vectors on the stack,
 * which code written in assembly need not have aligned for a callee that does not.
 */
#define TS_CPU_ALIGNS_STACK __attribute__((force_align_arg_pointer))

/* Whether the processor promises a counter of constant rate that never stops (CPUID 80000007h, EDX bit 8). */
int ts_cpu_clock_is_constant(void);
/* Its rate as the processor or hypervisor states it (CPUID 15h, 40000010h); 0: not stated. */
uint64_t ts_cpu_clock_hz(void);

#endif
