/*
 * The stubs that patched calls lead to, and the way through them. A stub calls the function that it stands for, so that
 * its frame is an ordinary one for unwinders, exceptions, cancellation and guarded control stacks; no return address is
 * ever changed. Every register that may hold an argument or a result is as the caller, then the function, left it: the
 * general ones are saved, and no code on the way touches a vector register.
 */
#include "landing.inc"
#include "hook_stub.h"
    /* Behind all other code (the linker sorts by name): that lies on few pages then. */
    .section .text.stubs, "ax", %progbits

    /* One every 16 bytes: a landing; its number; jump. x16 and x17 are the linker's, free between caller and function. */
    .globl ts_hook_stubs
    .hidden ts_hook_stubs
    .type ts_hook_stubs, %function
    .p2align 4
ts_hook_stubs:
    .cfi_startproc
    .set number, 0
    .rept TS_HOOK_STUBS
    landing
    movz w16, #number
    .if number < TS_HOOK_STUBS_TRIED
    b ts_hook_call_tried
    .else
    b ts_hook_call
    .endif
    udf #0
    .set number, number + 1
    .endr
    .cfi_endproc
    .size ts_hook_stubs, . - ts_hook_stubs

    .text

    /*
     *   32(x29)  the caller's stack arguments: CFA
     *   16(x29)  number of the stub, the caller's x19
     *    0(x29)  the caller's x29 and return address
     *  -80(x29)  struct ts_hook_registers, kept for the exit
     */
    .globl ts_hook_call
    .hidden ts_hook_call
    .type ts_hook_call, %function
    .p2align 4
ts_hook_call:
    .cfi_startproc
    .cfi_personality 0x9b, DW.ref.ts_hook_personality
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset x29, -32
    .cfi_offset x30, -24
    mov x29, sp
    .cfi_def_cfa_register x29
    stp x16, x19, [sp, #16]
    .cfi_offset x19, -8
    stp x0, x1, [sp, #-80]!
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x18, [sp, #64]
    mov x0, sp
    mov x1, x29
    adrp x9, ts_hook_enter
    ldr x9, [x9, #:lo12:ts_hook_enter]
    blr x9
    cbz x0, 4f
    mov x16, x0
    mov x19, x1
    ldp x0, x1, [sp]
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp x8, x18, [sp, #64]
    cbnz x19, 2f
1:  blr x16
    .globl ts_hook_returned
    .hidden ts_hook_returned
ts_hook_returned:
    sub sp, x29, #96
    stp x0, x1, [sp]
    mov x2, x0
    add x0, sp, #16
    mov x1, x29
    bl ts_hook_exit
    ldp x0, x1, [sp]
3:  ldr x19, [x29, #24]
    mov sp, x29
    .cfi_remember_state
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #32
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    .cfi_restore x19
    ret
    .cfi_restore_state
    /* x19 bytes, a multiple of 16. x9 to x12 hold no argument. */
2:  tbnz x19, #63, 6f
    sub sp, sp, x19
    add x9, x29, #32
    mov x12, sp
5:  ldp x10, x11, [x9], #16
    stp x10, x11, [x12], #16
    subs x19, x19, #16
    b.ne 5b
    b 1b
    /* The call has been made already: x1 is its result. */
4:  mov x0, x1
    b 3b
    /* Nothing is to be done after the call: it is jumped to, as if the caller had called it. */
6:  ldr x19, [x29, #24]
    mov sp, x29
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #32
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    .cfi_restore x19
    br x16
    .cfi_endproc
    .size ts_hook_call, . - ts_hook_call

    /* What need not wait is over here. Such functions have at most four arguments, and none of them is variadic. */
    .globl ts_hook_call_tried
    .hidden ts_hook_call_tried
    .type ts_hook_call_tried, %function
    .p2align 4
ts_hook_call_tried:
    .cfi_startproc
    stp x29, x30, [sp, #-64]!
    .cfi_def_cfa_offset 64
    .cfi_offset x29, -64
    .cfi_offset x30, -56
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    str x16, [sp, #48]
    mov w1, w16
    bl ts_hook_try_quickly
    mov w17, w0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldr x16, [sp, #48]
    ldp x29, x30, [sp], #64
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    cbnz w17, ts_hook_call
    mov w0, wzr
    ret
    .cfi_endproc
    .size ts_hook_call_tried, . - ts_hook_call_tried

    .hidden DW.ref.ts_hook_personality
    .weak DW.ref.ts_hook_personality
    .section .data.rel.local.DW.ref.ts_hook_personality, "awG", %progbits, DW.ref.ts_hook_personality, comdat
    .p2align 3
    .type DW.ref.ts_hook_personality, %object
    .size DW.ref.ts_hook_personality, 8
DW.ref.ts_hook_personality:
    .xword ts_hook_personality

    .section .note.GNU-stack, "", %progbits
