/*
 * Walks up a stack by the unwind tables of the modules, for return addresses and where they lie: a rule a frame, found
 * once (cfa_program.h). Takes no lock and calls nothing: it may run in a signal handler, whose own frame it knows.
 * Nothing outside the part of the stack that it is told of is read.
 */
#ifndef TRACESHIM_PRELOAD_STACK_WALK_H
#define TRACESHIM_PRELOAD_STACK_WALK_H

#include <stdint.h>

/* A function in the middle of a call. */
struct ts_stack_place {
    uint64_t address; /* the call returns here */
    uint64_t stack;   /* its stack pointer then: the callee's CFA */
    uint64_t pointer; /* its frame pointer register */
    int has_pointer;  /* that is known */
};

enum ts_stack_step {
    TS_STACK_STEP,   /* the place is now the caller's */
    TS_STACK_FIRST,  /* it has no caller: the process or the thread began there */
    TS_STACK_SIGNAL, /* the kernel called it: it is a signal handler's return */
    TS_STACK_LOST,   /* no table tells its caller, or in a form that is not known here */
};

/* Rules that were found, by return address. All zero at first. */
#define TS_STACK_RULES 1024
struct ts_stack_rules {
    struct ts_stack_rule {
        uint64_t address;
        int32_t cfa;     /* distance from its base */
        int32_t saved;   /* from the CFA to the slot of the return address */
        int32_t pointer; /* to that of the frame pointer */
        uint32_t flags;
    } of[TS_STACK_RULES];
};

/*
 * One frame up. *slot: where its return address lies, as it is there; below `stack_end`, up to which may be read.
 * Unless STEP is returned, place and slot are as before. Async-signal-safe.
 */
enum ts_stack_step ts_stack_walk(struct ts_stack_rules *rules, struct ts_stack_place *place, uint64_t stack_end,
                                 uint64_t *slot);

/* A return address without what may be in its upper bits (aarch64 signs them). */
#define TS_STACK_ADDRESS(saved) ((saved) & ((UINT64_C(1) << 48) - 1))

#endif
