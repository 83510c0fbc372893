/* What a signal has interrupted: the registers by their DWARF numbers (System V ABI, AMD64, figure 3.36). */
#ifndef TRACESHIM_PRELOAD_INTERRUPTED_H
#define TRACESHIM_PRELOAD_INTERRUPTED_H

#include <stdint.h>
#include <ucontext.h>

#define TS_INTERRUPTED_REGISTERS 17

/* Makes the kernel return through `ts_signal_return`: x86-64 has no way of its own. */
#define TS_SIGNAL_RETURN_FLAG UINT64_C(0x04000000) /* SA_RESTORER */
void ts_signal_return(void);
#define TS_SIGNAL_RETURN ((uint64_t)ts_signal_return)

static inline void ts_interrupted_registers(const ucontext_t *context, uint64_t *registers) {
    static const uint8_t places[TS_INTERRUPTED_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                             REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                             REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < TS_INTERRUPTED_REGISTERS; i++)
        registers[i] = (uint64_t)context->uc_mcontext.gregs[places[i]];
}

static inline uint64_t ts_interrupted_program_counter(const ucontext_t *context) {
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

/* Where it goes on when the handler returns. */
static inline void ts_interrupted_go_on(ucontext_t *context, uint64_t address) {
    context->uc_mcontext.gregs[REG_RIP] = (long long)address;
}

static inline uint64_t ts_interrupted_stack_pointer(const ucontext_t *context) {
    return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

#endif
