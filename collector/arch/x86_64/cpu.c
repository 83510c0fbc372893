#include "cpu.h"

#include <cpuid.h>

int ts_cpu_clock_is_constant(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
}

uint64_t ts_cpu_clock_hz(void) {
    unsigned a, b, c, d;
    if (__get_cpuid(0x15, &a, &b, &c, &d) && a && b && c)
        return (uint64_t)c * b / a;
    if (__get_cpuid(1, &a, &b, &c, &d) && c >> 31) { /* under a hypervisor */
        __cpuid(0x40000000, a, b, c, d);
        if (a >= 0x40000010) {
            __cpuid(0x40000010, a, b, c, d);
            return (uint64_t)a * 1000;
        }
    }
    return 0;
}
