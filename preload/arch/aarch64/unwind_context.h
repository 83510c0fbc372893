/* libunwind's names for this machine, and what it begins at. */
#ifndef TRACESHIM_PRELOAD_UNWIND_CONTEXT_H
#define TRACESHIM_PRELOAD_UNWIND_CONTEXT_H

#include "preload/stack_walk.h"

#include <ucontext.h>

#define TS_UNWIND_PREFIX "_ULaarch64_"

/* Its numbers of registers. */
enum { TS_UNWIND_POINTER = 29, TS_UNWIND_STACK = 31, TS_UNWIND_ADDRESS = 32 };

/* Its unw_context_t begins as a ucontext_t does, all zero before. Registers that are not known here stay so. */
static inline void ts_unwind_context(ucontext_t *context, const struct ts_stack_place *place) {
    context->uc_mcontext.pc = place->address;
    context->uc_mcontext.sp = place->stack;
    context->uc_mcontext.regs[29] = place->pointer;
    context->uc_mcontext.regs[30] = place->address;
}

/* The slot of the return address of a frame with this CFA; 0: it may be anywhere, and is looked for. */
static inline uint64_t ts_unwind_slot(uint64_t cfa) {
    (void)cfa;
    return 0;
}

#endif
