#include "collector/memory_probe.h"
#include "collector/placement.h"

/* Not inlined: the labels stand once. */
TS_WARM int ts_memory_probe_byte(uint64_t address) {
    uint32_t can;
    __asm__ volatile(".globl ts_memory_probe_reads, ts_memory_probe_failed\n"
                     "ts_memory_probe_reads:\n\t"
                     "movzbl (%1), %0\n\t"
                     "movl $1, %0\n\t"
                     "jmp 1f\n"
                     "ts_memory_probe_failed:\n\t"
                     "xorl %0, %0\n"
                     "1:"
                     : "=&r"(can)
                     : "r"(address));
    return (int)can;
}
