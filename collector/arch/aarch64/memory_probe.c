#include "collector/memory_probe.h"
#include "collector/placement.h"

/* Not inlined: the labels stand once. */
TS_WARM int ts_memory_probe_byte(uint64_t address) {
    uint32_t can;
    __asm__ volatile(".globl ts_memory_probe_reads, ts_memory_probe_failed\n"
                     "ts_memory_probe_reads:\n\t"
                     "ldrb %w0, [%1]\n\t"
                     "mov %w0, #1\n\t"
                     "b 1f\n"
                     "ts_memory_probe_failed:\n\t"
                     "mov %w0, #0\n"
                     "1:"
                     : "=&r"(can)
                     : "r"(address));
    return (int)can;
}
