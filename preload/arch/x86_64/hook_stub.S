/*
 * The stubs that patched calls lead to, and the way through them. A stub calls the function that it stands for, so that
 * its frame is an ordinary one for unwinders, exceptions, cancellation and shadow stacks; no return address is ever
 * changed. Every register that may hold an argument or a result is as the caller, then the function, left it: the
 * integer ones are saved, and no code on the way touches a vector register or the x87 stack, but xmm8 while stack
 * arguments are copied, which the ABI gives to the callee to destroy.
 */
#include <cet.h>
#include "hook_stub.h"
    /* Behind all other code (the linker sorts by name): that lies on few pages then. */
    .section .text.stubs, "ax", @progbits

    /* One every 16 bytes: endbr64; push its number; jump. Lengths are fixed, whatever the number. */
    .globl ts_hook_stubs
    .hidden ts_hook_stubs
    .type ts_hook_stubs, @function
    .p2align 4
ts_hook_stubs:
    .cfi_startproc
    /* CFA = rsp + 8, and 8 more from the ninth byte of a stub on (DW_CFA_def_cfa_expression, as linkers have for PLTs) */
    .cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22
    .set number, 0
    .rept TS_HOOK_STUBS
    .byte 0xf3, 0x0f, 0x1e, 0xfa
    .byte 0x68
    .long number
    .byte 0xe9
    .if number < TS_HOOK_STUBS_TRIED
    .long ts_hook_call_tried - . - 4
    .else
    .long ts_hook_call - . - 4
    .endif
    .byte 0xcc, 0xcc
    .set number, number + 1
    .endr
    .cfi_endproc
    .size ts_hook_stubs, . - ts_hook_stubs

    .text

    /*
     *   24(%rbp)  the caller's stack arguments: CFA
     *   16(%rbp)  return address
     *    8(%rbp)  number of the stub
     *    0(%rbp)  the caller's rbp, -8(%rbp) its rbx
     *  -72(%rbp)  struct ts_hook_registers, kept for the exit
     */
    /* What every hooked call runs through fits on the page that begins here: after a system call no page is known yet. */
    .section .text.hot, "ax", @progbits
    .p2align 12
    .globl ts_hook_call
    .hidden ts_hook_call
    .type ts_hook_call, @function
ts_hook_call:
    .cfi_startproc
    .cfi_personality 0x9b, DW.ref.ts_hook_personality
    .cfi_def_cfa_offset 16
    push %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %rbx
    .cfi_offset %rbx, -32
    push %r10
    push %r9
    push %r8
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %rax
    mov %rsp, %rdi
    mov %rbp, %rsi
    call *ts_hook_enter(%rip)
    mov %rax, %r11
    mov %rdx, %rbx
    test %rax, %rax
    jz 4f
    mov (%rsp), %rax
    mov 8(%rsp), %rdi
    mov 16(%rsp), %rsi
    mov 24(%rsp), %rdx
    mov 32(%rsp), %rcx
    mov 40(%rsp), %r8
    mov 48(%rsp), %r9
    mov 56(%rsp), %r10
    test %rbx, %rbx
    jg 2f
    jl 6f
1:  call *%r11
    .globl ts_hook_returned
    .hidden ts_hook_returned
ts_hook_returned:
    lea -72(%rbp), %rsp
    push %rax
    push %rdx
    lea -72(%rbp), %rdi
    mov %rbp, %rsi
    mov %rax, %rdx
    call ts_hook_exit
    pop %rdx
    pop %rax
    mov -64(%rbp), %rdi /* a function of the Microsoft ABI has kept these two */
    mov -56(%rbp), %rsi
3:  mov -8(%rbp), %rbx
    mov %rbp, %rsp
    pop %rbp
    .cfi_remember_state
    .cfi_restore %rbp
    .cfi_restore %rbx
    .cfi_def_cfa %rsp, 16
    add $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_restore_state
    /*
     * rbx bytes, a multiple of 16. The copy lies a multiple of 64 below the original: what is aligned there is aligned
     * here. Meanwhile the target is where rax was saved.
     */
2:  mov %r11, (%rsp)
    lea 31(%rbx), %r11
    and $-64, %r11
    add $32, %r11
    sub %r11, %rsp
5:  movups 8(%rbp, %rbx), %xmm8
    movups %xmm8, -16(%rsp, %rbx)
    sub $16, %rbx
    jnz 5b
    mov -72(%rbp), %r11
    jmp 1b
    /* The call has been made already: rbx is its result. */
4:  mov %rbx, %rax
    jmp 3b
    /* Nothing is to be done after the call: it is jumped to, as if the caller had called it. */
6:  mov -8(%rbp), %rbx
    mov %rbp, %rsp
    pop %rbp
    .cfi_restore %rbp
    .cfi_restore %rbx
    .cfi_def_cfa %rsp, 16
    add $8, %rsp
    .cfi_def_cfa_offset 8
    jmp *%r11
    .cfi_endproc
    .size ts_hook_call, . - ts_hook_call

    /* What need not wait is over here. Such functions have at most four arguments, and none of them is variadic. */
    .globl ts_hook_call_tried
    .hidden ts_hook_call_tried
    .type ts_hook_call_tried, @function
    .p2align 4
ts_hook_call_tried:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    .cfi_def_cfa_offset 48
    mov 32(%rsp), %esi
    call ts_hook_try_quickly
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    .cfi_def_cfa_offset 16
    test %eax, %eax
    jnz ts_hook_call
    add $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size ts_hook_call_tried, . - ts_hook_call_tried

    .hidden DW.ref.ts_hook_personality
    .weak DW.ref.ts_hook_personality
    .section .data.rel.local.DW.ref.ts_hook_personality, "awG", @progbits, DW.ref.ts_hook_personality, comdat
    .p2align 3
    .type DW.ref.ts_hook_personality, @object
    .size DW.ref.ts_hook_personality, 8
DW.ref.ts_hook_personality:
    .quad ts_hook_personality

    .section .note.GNU-stack, "", @progbits
