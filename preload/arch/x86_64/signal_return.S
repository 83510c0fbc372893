/*
 * Where a handler installed by a bare system call returns to. Debuggers and unwinders know a signal's frame by these
 * very bytes (gdb's amd64-linux-tdep.c, libgcc's linux-unwind.h).
 */
#include <cet.h>
    .text
    nop /* a look-up of the address before must not find the function before */
    .globl ts_signal_return
    .hidden ts_signal_return
    .type ts_signal_return, @function
ts_signal_return:
    mov $15, %rax /* SYS_rt_sigreturn */
    syscall
    .size ts_signal_return, . - ts_signal_return
    .section .note.GNU-stack, "", @progbits
