/*
 * dlopen, dlsym and their kin, whose answer depends on their return address: it stays the program's own, by jumping to
 * libc's.
 */
#include "landing.inc"
#include "preload/real_offsets.h"
#include "real_function.inc"
    .text

    /* (x0 handle, x1 symbol, x2 version) */
    .macro lookup name, find, real
    .globl \name
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
    landing
    adrp x16, ts_loader_pending
    ldrb w16, [x16, #:lo12:ts_loader_pending]
    adrp x17, ts_loader_finds
    ldrb w17, [x17, #:lo12:ts_loader_finds]
    orr w16, w16, w17
    cbz w16, 1f
    save_arguments
    mov x3, x30
    bl \find
    mov x17, x0
    restore_arguments
    cbnz x17, 2f
1:  load_real \real
    br x16
2:  mov x0, x17
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    /* The caller is the argument behind the function's own. */
    .macro open name, caller, may_open, after_open, real
    .globl \name
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
    landing
    save_arguments
    mov \caller, x30
    bl \may_open
    mov w17, w0
    restore_arguments
    cbnz w17, 1f
    load_real \real
    br x16
1:  load_real \real
    stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    blr x16
    str x0, [sp, #16]
    bl \after_open
    ldr x0, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    lookup dlsym, ts_loader_find, TS_REAL_DLSYM
    lookup dlvsym, ts_loader_find_version, TS_REAL_DLVSYM
    open dlopen, x2, ts_loader_may_open, ts_loader_after_open, TS_REAL_DLOPEN
    open dlmopen, x3, ts_loader_may_open_into, ts_loader_after_open_into, TS_REAL_DLMOPEN

    .section .note.GNU-stack, "", %progbits
