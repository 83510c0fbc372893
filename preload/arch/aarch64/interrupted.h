/* What a signal has interrupted: the registers by their DWARF numbers (DWARF for the Arm 64-bit Architecture, 4.1). */
#ifndef TRACESHIM_PRELOAD_INTERRUPTED_H
#define TRACESHIM_PRELOAD_INTERRUPTED_H

#include <stdint.h>
#include <ucontext.h>

#define TS_INTERRUPTED_REGISTERS 32 /* x0 to x30, sp */

/* The kernel's own code in the vdso returns from a handler. */
#define TS_SIGNAL_RETURN_FLAG UINT64_C(0)
#define TS_SIGNAL_RETURN UINT64_C(0)

static inline void ts_interrupted_registers(const ucontext_t *context, uint64_t *registers) {
    for (unsigned i = 0; i < TS_INTERRUPTED_REGISTERS - 1; i++)
        registers[i] = context->uc_mcontext.regs[i];
    registers[TS_INTERRUPTED_REGISTERS - 1] = context->uc_mcontext.sp;
}

static inline uint64_t ts_interrupted_program_counter(const ucontext_t *context) {
    return context->uc_mcontext.pc;
}

/* Where it goes on when the handler returns. */
static inline void ts_interrupted_go_on(ucontext_t *context, uint64_t address) {
    context->uc_mcontext.pc = address;
}

static inline uint64_t ts_interrupted_stack_pointer(const ucontext_t *context) {
    return context->uc_mcontext.sp;
}

#endif
