/*
 * makecontext takes its arguments from its caller's stack: it is jumped to, after the stack that the context will run on
 * has been noted.
 */
#include <cet.h>
#include "preload/real_offsets.h"
#include "real_function.inc"
    .text
    .globl makecontext
    .type makecontext, @function
    .p2align 4
makecontext:
    .cfi_startproc
    _CET_ENDBR
    save_arguments
    call ts_context_made
    restore_arguments
    load_real TS_REAL_MAKECONTEXT
    jmp *%r11
    .cfi_endproc
    .size makecontext, . - makecontext
    .section .note.GNU-stack, "", @progbits
