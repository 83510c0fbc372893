/*
 * dlopen and dlsym, whose answer depends on their return address: it stays the program's own, by jumping to libc's.
 * Arguments: x0 handle or name, w1/x1 flags or symbol.
 */
#include "landing.inc"
#include "preload/real_offsets.h"
#include "real_function.inc"
    .text

    .globl dlsym
    .type dlsym, %function
    .p2align 4
dlsym:
    .cfi_startproc
    landing
    adrp x16, ts_loader_pending
    ldrb w16, [x16, #:lo12:ts_loader_pending]
    cbz w16, 1f
    save_arguments
    bl ts_loader_look
    restore_arguments
1:  adrp x16, ts_loader_finds
    ldrb w16, [x16, #:lo12:ts_loader_finds]
    cbz w16, 2f
    save_arguments
    mov x2, x30
    bl ts_loader_may_find
    mov w17, w0
    restore_arguments
    cbnz w17, 3f
2:  load_real TS_REAL_DLSYM
    br x16
3:  load_real TS_REAL_DLSYM
    stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    str x1, [sp, #16]
    blr x16
    ldr x1, [sp, #16]
    bl ts_loader_after_find
    ldp x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size dlsym, . - dlsym

    .globl dlopen
    .type dlopen, %function
    .p2align 4
dlopen:
    .cfi_startproc
    landing
    save_arguments
    mov w2, w1
    mov x1, x30
    bl ts_loader_may_call
    mov w17, w0
    restore_arguments
    cbnz w17, 1f
    load_real TS_REAL_DLOPEN
    br x16
1:  load_real TS_REAL_DLOPEN
    stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    blr x16
    str x0, [sp, #16]
    bl ts_loader_after_open
    ldr x0, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size dlopen, . - dlopen

    .section .note.GNU-stack, "", %progbits
