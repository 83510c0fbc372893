/*
 * Whether memory can be read, found out by reading it: some ns, where asking the kernel is a system call. Where it
 * cannot, the read faults, and the handler that stands in for the defaults of SIGSEGV and SIGBUS goes on behind it
 * (preload/fatal_signals.h). So only while that handler is there, and while no thread is known to block those signals:
 * a blocked fault ends the process. Once either is so, never again; then the kernel is asked. Not known is what a
 * thread blocks only while it waits (sigsuspend, ppoll), nor what it does with signals past libc.
 */
#ifndef TRACESHIM_COLLECTOR_MEMORY_PROBE_H
#define TRACESHIM_COLLECTOR_MEMORY_PROBE_H

#include <stdint.h>

enum ts_memory_probe_state { TS_MEMORY_PROBE_NOT_YET, TS_MEMORY_PROBE_ON, TS_MEMORY_PROBE_OVER };
extern int ts_memory_probe_state;

/* The handlers are there. */
void ts_memory_probe_begin(void);
/* They may go. Async-signal-safe, as all that follows. */
void ts_memory_probe_end(void);
/* A thread blocks these signals: the kernel's set, one bit a signal. */
void ts_memory_probe_look_at_mask(uint64_t blocked);

static inline int ts_memory_probe_is_on(void) {
    return __atomic_load_n(&ts_memory_probe_state, __ATOMIC_RELAXED) == TS_MEMORY_PROBE_ON;
}

/* Whether the byte can be read. Only while it is on. */
int ts_memory_probe_byte(uint64_t address);

/* The instruction in it that reads, and where it goes on when that has faulted. */
extern const char ts_memory_probe_reads[] __attribute__((visibility("hidden")));
extern const char ts_memory_probe_failed[] __attribute__((visibility("hidden")));

#endif
