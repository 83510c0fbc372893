/*
 * dlopen and dlsym, whose answer depends on their return address: it stays the program's own, by jumping to libc's.
 * Arguments: rdi handle or name, esi/rsi flags or symbol.
 */
#include <cet.h>
#include "preload/real_offsets.h"
#include "real_function.inc"
    .text

    .globl dlsym
    .type dlsym, @function
    .p2align 4
dlsym:
    .cfi_startproc
    _CET_ENDBR
    cmpb $0, ts_loader_pending(%rip)
    je 1f
    save_arguments
    call ts_loader_look
    restore_arguments
1:  cmpb $0, ts_loader_finds(%rip)
    je 2f
    save_arguments
    mov 56(%rsp), %rdx
    call ts_loader_may_find
    mov %eax, %r10d
    restore_arguments
    test %r10d, %r10d
    jnz 3f
2:  load_real TS_REAL_DLSYM
    jmp *%r11
3:  load_real TS_REAL_DLSYM
    push %rsi
    .cfi_adjust_cfa_offset 8
    call *%r11
    mov %rax, %rdi
    mov (%rsp), %rsi
    call ts_loader_after_find
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size dlsym, . - dlsym

    .globl dlopen
    .type dlopen, @function
    .p2align 4
dlopen:
    .cfi_startproc
    _CET_ENDBR
    save_arguments
    mov %esi, %edx
    mov 56(%rsp), %rsi
    call ts_loader_may_call
    mov %eax, %r10d
    restore_arguments
    test %r10d, %r10d
    jnz 1f
    load_real TS_REAL_DLOPEN
    jmp *%r11
1:  load_real TS_REAL_DLOPEN
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call *%r11
    mov %rax, (%rsp)
    call ts_loader_after_open
    pop %rax
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size dlopen, . - dlopen

    .section .note.GNU-stack, "", @progbits
