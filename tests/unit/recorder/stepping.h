/* Signals at chosen instructions, by the processor's trap flag: a handler of SIGTRAP counts them, and clears it. */
#ifndef TRACESHIM_TESTS_UNIT_RECORDER_STEPPING_H
#define TRACESHIM_TESTS_UNIT_RECORDER_STEPPING_H

#if defined(__x86_64__)

#include "collector/recorder_hook.h"
#include "tests/unit/recorder/scene.h"

#define TRAP_FLAG 0x100

static inline void stepping_begin(void) {
    __asm__ volatile("pushf; orq %0, (%%rsp); popf" : : "i"(TRAP_FLAG) : "cc", "memory");
}

static inline void stepping_end(void) {
    __asm__ volatile("pushf; andq %0, (%%rsp); popf" : : "i"(~TRAP_FLAG) : "cc", "memory");
}

/* A call of a function with 32 bits of address, with arguments and a result where it is `hooked`. */
static inline void stepping_enter(uint32_t function, uint64_t cfa, int hooked) {
    uint32_t arguments[] = {function, 0, 7, 9};
    if (hooked)
        ts_recorder_hook_enter(function, 0x500, cfa, cfa - 32, ts_clock_now(),
                               &(struct ts_record_values){arguments, sizeof arguments / 4});
    else
        scene_enter_at(function, 0x500, cfa, ts_clock_now(), 0, 0);
}

static inline void stepping_exit(uint32_t function, uint64_t cfa, int hooked) {
    uint32_t result[] = {0, 5, 0};
    if (hooked)
        ts_recorder_hook_exit(function, cfa, ts_clock_now(), &(struct ts_record_values){result, sizeof result / 4});
    else
        scene_exit_at(function, cfa, ts_clock_now(), 0);
}

#endif

#endif
