/*
 * dlopen, dlsym and their kin, whose answer depends on their return address: it stays the program's own, by jumping to
 * libc's.
 */
#include <cet.h>
#include "preload/real_offsets.h"
#include "real_function.inc"
    .text

    /* (rdi handle, rsi symbol, rdx version) */
    .macro lookup name, find, real
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    _CET_ENDBR
    movzbl ts_loader_pending(%rip), %r11d
    orb ts_loader_finds(%rip), %r11b
    jz 1f
    save_arguments
    mov 56(%rsp), %rcx
    call \find
    mov %rax, %r11
    restore_arguments
    test %r11, %r11
    jnz 2f
1:  load_real \real
    jmp *%r11
2:  mov %r11, %rax
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    /* The caller is the argument behind the function's own. */
    .macro open name, caller, may_open, after_open, real
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    _CET_ENDBR
    save_arguments
    mov 56(%rsp), \caller
    call \may_open
    mov %eax, %r10d
    restore_arguments
    test %r10d, %r10d
    jnz 1f
    load_real \real
    jmp *%r11
1:  load_real \real
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call *%r11
    mov %rax, (%rsp)
    mov %rax, %rdi
    call \after_open
    pop %rax
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    lookup dlsym, ts_loader_find, TS_REAL_DLSYM
    lookup dlvsym, ts_loader_find_version, TS_REAL_DLVSYM
    open dlopen, %rdx, ts_loader_may_open, ts_loader_after_open, TS_REAL_DLOPEN
    open dlmopen, %rcx, ts_loader_may_open_into, ts_loader_after_open_into, TS_REAL_DLMOPEN

    .section .note.GNU-stack, "", @progbits
