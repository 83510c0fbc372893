/*
 * makecontext may take arguments from its caller's stack: it is jumped to, after the stack that the context will run on
 * has been noted.
 */
#include "landing.inc"
#include "preload/real_offsets.h"
#include "real_function.inc"
    .text
    .globl makecontext
    .type makecontext, %function
    .p2align 4
makecontext:
    .cfi_startproc
    landing
    save_arguments
    bl ts_context_made
    restore_arguments
    load_real TS_REAL_MAKECONTEXT
    br x16
    .cfi_endproc
    .size makecontext, . - makecontext
    .section .note.GNU-stack, "", %progbits
