/*
 * Whether memory that a pointer of the program names can be read: a page other than that of the running frame is asked
 * for, by a system call that reads it; where system calls are forbidden, the answer is no. What is believed of a
 * stack's bounds is not trusted, since programs make stacks of their own. Async-signal-safe.
 */
#ifndef TRACESHIM_PRELOAD_READABLE_H
#define TRACESHIM_PRELOAD_READABLE_H

#include <stdint.h>

/* What is known while one string is read, byte by byte; all zero at first. */
struct ts_readable {
    uint64_t low; /* [low, high) can be read */
    uint64_t high;
};

int ts_readable_more(struct ts_readable *readable, uint64_t address);

static inline int ts_readable_byte(struct ts_readable *readable, uint64_t address) {
    return address - readable->low < readable->high - readable->low || ts_readable_more(readable, address);
}

int ts_readable_range(uint64_t address, uint64_t bytes);

#endif
