/* Dispositions and alternate stacks are as the program set them, whoever asks and by whatever call; its handlers run as
 * without us. The output, which is compared, holds all answers.
 * BUILD: gcc -O1
 * CALLS: main 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int handled;
static const void *main_frame;

static void on_signal(int number) {
    handled = number;
}

static void on_fault(int number, siginfo_t *information, void *context) {
    (void)context;
    printf("fault %d code %d at %p\n", number, information->si_code, information->si_addr);
    siglongjmp(back, 1);
}

static void where(int number) {
    char here;
    long distance = (const char *)main_frame - &here;
    handled = number;
    printf("handler %s the thread's stack\n", distance > 0 && distance < 1000000 ? "on" : "off");
}

static const char *name(void (*handler)(int)) {
    return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" : handler == on_signal ? "own" : "other";
}

static void ask(const char *what, int number) {
    struct sigaction now;
    memset(&now, 0x5a, sizeof now);
    int result = sigaction(number, NULL, &now);
    if (result == 0)
        printf("%s: %d is %s, flags %x, mask %d%d\n", what, number, name(now.sa_handler), now.sa_flags & ~0x04000000,
               sigismember(&now.sa_mask, SIGINT), sigismember(&now.sa_mask, SIGUSR1));
}

struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

static void ask_kernel(const char *what, int number) {
    struct kernel_action now;
    long result = syscall(SYS_rt_sigaction, number, NULL, &now, 8);
    printf("%s: %ld, %d is %s\n", what, result, number, name(now.handler));
}

static void replace(void) {
    struct sigaction own = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    sigaddset(&own.sa_mask, SIGINT);
    printf("%d\n", sigaction(SIGTERM, &own, &old));
    printf("TERM was %s\n", name(old.sa_handler));
    ask("own", SIGTERM);
    raise(SIGTERM);
    printf("handled %d\n", handled);
    struct sigaction none = {.sa_handler = SIG_DFL, .sa_flags = SA_NODEFER};
    sigaddset(&none.sa_mask, SIGUSR1);
    sigaction(SIGTERM, &none, &old);
    printf("TERM was %s\n", name(old.sa_handler));
    ask("default with flags", SIGTERM);
    sigaction(SIGTERM, &own, &own);
    printf("TERM was %s, flags %x\n", name(own.sa_handler), own.sa_flags);
    printf("signal: %s", name(signal(SIGTERM, SIG_IGN)));
    printf(", %s", name(signal(SIGTERM, SIG_DFL)));
    printf(", %s", name(signal(SIGTERM, on_signal)));
    printf(", %s", name(signal(SIGTERM, SIG_DFL)));
    printf(", %s\n", name(signal(SIGTERM, SIG_DFL)));
    printf("sysv_signal: %s", name(sysv_signal(SIGHUP, on_signal)));
    ask("sysv", SIGHUP);
    printf("sysv_signal: %s, %s\n", name(sysv_signal(SIGHUP, SIG_DFL)), name(sysv_signal(SIGHUP, SIG_DFL)));
    printf("sigset: %s, %s\n", name(sigset(SIGUSR1, on_signal)), name(sigset(SIGUSR1, SIG_DFL)));
    errno = 0;
    printf("KILL: %d, errno %d\n", sigaction(SIGKILL, &none, NULL), errno);
    printf("signal 0: %d, 65: %d\n", signal(0, SIG_DFL) == SIG_ERR, signal(65, SIG_DFL) == SIG_ERR);
}

static void bare_calls(void) {
    for (int number = 1; number < 65; number += 5)
        if (number != 31)
            ask_kernel("bare", number);
    struct kernel_action ignore = {.handler = SIG_IGN}, old;
    syscall(SYS_rt_sigaction, SIGUSR2, &ignore, &old, 8);
    printf("USR2 was %s\n", name(old.handler));
    ask("USR2", SIGUSR2);
    raise(SIGUSR2);
}

static void alternate(void) {
    stack_t now, own = {.ss_sp = malloc(65536), .ss_size = 65536}, none = {.ss_flags = SS_DISABLE};
    printf("%d", sigaltstack(NULL, &now));
    printf(": flags %x, %d\n", now.ss_flags, now.ss_sp == NULL);
    struct sigaction action = {.sa_handler = where, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    ask("on a stack", SIGUSR1);
    raise(SIGUSR1);
    printf("%d", sigaltstack(&own, &now));
    printf(": was %x\n", now.ss_flags);
    raise(SIGUSR1);
    printf("%d", sigaltstack(&none, &now));
    printf(": was %x, %d\n", now.ss_flags, now.ss_sp == own.ss_sp);
    printf("%d", sigaltstack(NULL, &now));
    printf(": flags %x\n", now.ss_flags);
    errno = 0;
    printf("%d, errno %d\n", sigaltstack((stack_t *)8, NULL), errno);
}

/* An own handler that gives the default back and sends the signal again, in a child. */
static void again(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

static void again_by_return(int number) {
    struct sigaction none = {.sa_handler = SIG_DFL};
    sigaction(number, &none, NULL);
}

static void child(const char *what, void (*handler)(int), int number, int flags) {
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
        sigaction(number, &action, NULL);
        if (number == SIGSEGV)
            *(volatile int *)8 = 1;
        raise(number);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    printf("%s: %s %d\n", what, WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int main(void) {
    char frame;
    main_frame = &frame;
    for (int number = 1; number < 65; number++)
        ask("at start", number);
    replace();
    bare_calls();
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &fault, NULL);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)0x123 = 1;
    signal(SIGSEGV, SIG_DFL);
    alternate();
    child("again", again, SIGTERM, 0);
    child("again by return", again_by_return, SIGSEGV, 0);
    child("once", again_by_return, SIGSEGV, (int)SA_RESETHAND);
    child("default", SIG_DFL, SIGABRT, 0);
    printf("system: %d\n", system("kill -TERM $$"));
    return 0;
}
