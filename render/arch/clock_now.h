/* Reads the recorder's clock: the one thing in the renderer that depends on the architecture. */
#ifndef TRACESHIM_RENDER_ARCH_CLOCK_NOW_H
#define TRACESHIM_RENDER_ARCH_CLOCK_NOW_H

#include "collector/trace_format.h"

/* Ticks of this clock now, as the recorder counts them; 0 where this machine has no such clock. */
static inline uint64_t ts_clock_now(uint32_t clock_kind) {
#if defined(__x86_64__)
    if (clock_kind == TS_CLOCK_TSC)
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    if (clock_kind == TS_CLOCK_CNTVCT) {
        uint64_t ticks;
        __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks << 2;
    }
#endif
    (void)clock_kind;
    return 0;
}

#endif
