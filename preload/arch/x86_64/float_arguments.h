/* The bits of a function's first floating-point arguments, for code that may not use their registers. */
#ifndef TRACESHIM_PRELOAD_FLOAT_ARGUMENTS_H
#define TRACESHIM_PRELOAD_FLOAT_ARGUMENTS_H

#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t ts_double_argument(int second) {
    uint64_t bits;
    if (second)
        __asm__ volatile("movq %%xmm1, %0" : "=r"(bits));
    else
        __asm__ volatile("movq %%xmm0, %0" : "=r"(bits));
    return bits;
}

static inline __attribute__((always_inline)) uint64_t ts_float_argument(int second) {
    return (uint32_t)ts_double_argument(second);
}

#endif
