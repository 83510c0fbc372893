/*
 * Seccomp filters and strict mode, the processor's counter forbidden, and bare rt_sigaction, execve and execveat, as
 * they are called through libc. Async-signal-safe but for the counter.
 */
#ifndef TRACESHIM_PRELOAD_SECCOMP_HOOKS_H
#define TRACESHIM_PRELOAD_SECCOMP_HOOKS_H

/* Before prctl(option, value, ...), and before syscall(number, first, ...). */
void ts_seccomp_look_at_prctl(int option, unsigned long value);
void ts_seccomp_look_at_system_call(long number, unsigned long first, unsigned long second, unsigned long third,
                                    unsigned long fourth, unsigned long fifth);

#endif
