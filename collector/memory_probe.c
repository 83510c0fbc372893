#include "collector/memory_probe.h"

#include <signal.h>

#define FAULTS (UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1))

int ts_memory_probe_state;

void ts_memory_probe_begin(void) {
    int not_yet = TS_MEMORY_PROBE_NOT_YET;
    __atomic_compare_exchange_n(&ts_memory_probe_state, &not_yet, TS_MEMORY_PROBE_ON, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

void ts_memory_probe_end(void) {
    __atomic_store_n(&ts_memory_probe_state, TS_MEMORY_PROBE_OVER, __ATOMIC_RELAXED);
}

void ts_memory_probe_look_at_mask(uint64_t blocked) {
    if (blocked & FAULTS)
        ts_memory_probe_end();
}
