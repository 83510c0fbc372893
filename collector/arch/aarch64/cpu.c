#include "cpu.h"

/* The generic timer's virtual counter: constant rate, never stops, one for all cores (Arm ARM, "The Generic Timer"). */
int ts_cpu_clock_is_constant(void) {
    return 1;
}

uint64_t ts_cpu_clock_hz(void) {
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz << TS_CPU_CLOCK_SHIFT;
}
