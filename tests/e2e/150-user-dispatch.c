/* A program that has its system calls sent to itself, as those do that stand in for another kernel: none but its own
 * may come, from the hooks as little as at the end (PR_SET_SYSCALL_USER_DISPATCH).
 * BUILD: gcc -O1 -D_GNU_SOURCE
 * MACHINE: x86_64
 * CALLS: before 10
 * CALLS: after 20000
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

#define QUIET __attribute__((noinline, no_instrument_function))

static volatile char blocked;
static volatile int caught, of_others;

__attribute__((noinline)) static int before(int n) {
    return n + 1;
}

__attribute__((noinline)) static int after(int n) {
    return n + 1;
}

/* Calls through while nothing is blocked; the kernel lets rt_sigreturn through only so. */
QUIET static void on_call(int number, siginfo_t *information, void *context) {
    ucontext_t *at = context;
    blocked = 0;
    caught++;
    of_others += information->si_syscall != SYS_getppid;
    at->uc_mcontext.gregs[REG_RAX] = 4711;
}

QUIET int main(void) {
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
    int sum = 0;
    long result = 0;
    sigaction(SIGSYS, &action, NULL);
    for (int i = 0; i < 10; i++)
        sum += before(i);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0L, 0L, &blocked)) {
        puts("not in this kernel");
        return 0;
    }
    for (int round = 0; round < 10; round++) {
        blocked = 1;
        for (int i = 0; i < 2000; i++)
            sum += after(i);
        __asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_getppid) : "rcx", "r11", "memory");
    }
    blocked = 0;
    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0L, 0L, 0L);
    printf("%d caught, %d of others, %ld, %d\n", caught, of_others, result, sum);
    return 3;
}
