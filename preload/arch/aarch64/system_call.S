/*
 * prctl and syscall, looked at for seccomp and jumped to: whoever is behind them (a clone with a stack of its own) finds
 * the program's own return address.
 */
#include "landing.inc"
#include "preload/real_offsets.h"
#include "real_function.inc"
    .text

    .macro look_then_jump name, look, offset
    .globl \name
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
    landing
    save_arguments
    bl \look
    restore_arguments
    load_real \offset
    br x16
    .cfi_endproc
    .size \name, . - \name
    .endm

    look_then_jump prctl, ts_seccomp_look_at_prctl, TS_REAL_PRCTL
    look_then_jump syscall, ts_seccomp_look_at_system_call, TS_REAL_SYSCALL

    .section .note.GNU-stack, "", %progbits
