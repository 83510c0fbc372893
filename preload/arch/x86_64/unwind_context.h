/* libunwind's names for this machine, and what it begins at. */
#ifndef TRACESHIM_PRELOAD_UNWIND_CONTEXT_H
#define TRACESHIM_PRELOAD_UNWIND_CONTEXT_H

#include "preload/stack_walk.h"

#include <ucontext.h>

#define TS_UNWIND_PREFIX "_ULx86_64_"

/* Its numbers of registers: those of DWARF. */
enum { TS_UNWIND_POINTER = 6, TS_UNWIND_STACK = 7, TS_UNWIND_ADDRESS = 16 };

/* Its unw_context_t is a ucontext_t, all zero before. Registers that are not known here stay so. */
static inline void ts_unwind_context(ucontext_t *context, const struct ts_stack_place *place) {
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)place->address;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)place->stack;
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)place->pointer;
}

/* The slot of the return address of a frame with this CFA; 0: libunwind is to be asked. */
static inline uint64_t ts_unwind_slot(uint64_t cfa) {
    return cfa - 8;
}

#endif
