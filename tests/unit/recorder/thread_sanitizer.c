/*
 * Criterion shares memory with its test processes at a random address, and ThreadSanitizer refuses addresses outside
 * the ranges that it knows. Under it the address is drawn from one of them: 0x200000000000 + 2^24 times the number.
 */
#include "tests/unit/recorder/thread_sanitizer.h"

#include <stdlib.h>

#if UNDER_THREAD_SANITIZER
/* A race fails its test; tests fork and start threads in the child. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "halt_on_error=1:die_after_fork=0";
}

/* 0x560000000000 and 256 GiB behind it: above where position-independent programs begin when addresses are not random.
 */
int rand_r(unsigned *seed) {
    *seed = *seed * 1103515245u + 12345u;
    return (int)(0x360000u + (*seed >> 16 & 0x3fffu));
}
#endif
