/*
 * Whether memory that a pointer of the program names can be read. It is tried, where a fault does no harm
 * (collector/memory_probe.h) and the thread has recorded something, so that it is known what it blocks. Else the kernel
 * is asked, a system call for a page, which costs more than the rest of a hooked call. It is not asked for pages that
 * do not go while a program uses what lies on them, and of which the kernel was asked once: that of the running frame,
 * the main thread's stack above it, and the heap (brk) up to where libc says that it ends. Once the program takes away
 * reading from any of those (mprotect), every page is asked for. Where system calls are forbidden, the answer is no for
 * all others. What is believed of other stacks' bounds is not trusted, since programs make stacks of their own.
 * Async-signal-safe.
 */
#ifndef TRACESHIM_PRELOAD_READABLE_H
#define TRACESHIM_PRELOAD_READABLE_H

#include <stdint.h>

/* What is known while one string is read, byte by byte; all zero at first. */
struct ts_readable {
    uint64_t low; /* [low, high) can be read */
    uint64_t high;
};

/* Once, in the constructor; before it every page is asked for but those of the heap. */
void ts_readable_begin(void);

/* The program is about to take away reading from these bytes. */
void ts_readable_taken_away(uint64_t address, uint64_t bytes);

int ts_readable_more(struct ts_readable *readable, uint64_t address);

static inline int ts_readable_byte(struct ts_readable *readable, uint64_t address) {
    return address - readable->low < readable->high - readable->low || ts_readable_more(readable, address);
}

int ts_readable_range(uint64_t address, uint64_t bytes);

#endif
