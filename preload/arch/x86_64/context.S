/*
 * makecontext takes its arguments from its caller's stack: it is jumped to, after the stack that the context will run on
 * has been noted.
 */
#include <cet.h>
#include "real_offsets.h"
    .text
    .globl makecontext
    .type makecontext, @function
    .p2align 4
makecontext:
    .cfi_startproc
    _CET_ENDBR
    .irp register, %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax
    push \register
    .cfi_adjust_cfa_offset 8
    .endr
    call ts_context_made
    .irp register, %rax, %r9, %r8, %rcx, %rdx, %rsi, %rdi
    pop \register
    .cfi_adjust_cfa_offset -8
    .endr
    mov ts_real_functions + TS_REAL_MAKECONTEXT(%rip), %r11
    jmp *%r11
    .cfi_endproc
    .size makecontext, . - makecontext
    .section .note.GNU-stack, "", @progbits
