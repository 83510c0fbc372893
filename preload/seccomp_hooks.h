/* Seccomp filters and strict mode, and bare rt_sigaction, as they are called through libc. Async-signal-safe. */
#ifndef TRACESHIM_PRELOAD_SECCOMP_HOOKS_H
#define TRACESHIM_PRELOAD_SECCOMP_HOOKS_H

/* Before prctl(option, ...), and before syscall(number, first, ...). */
void ts_seccomp_look_at_prctl(int option);
void ts_seccomp_look_at_system_call(long number, unsigned long first);

#endif
