/* Level 3: a signal that a handler of the program's takes is a call around it, with the handler, the code and the
 * sender; jumps out of it end it; the program is told of its own handlers, and of the flags that it gave.
 * BUILD: gcc -O1
 * BUILD: clang -O1
 * ENV: TRACE_LEVEL=3
 * ENV: TRACE_HOOKS=
 * CALLS: SIGUSR1 4
 * CALLS: on_plain 4
 * CALLS: SIGSEGV 1
 * CALLS: SIGRTMIN+2 1
 * CALLS: SIGHUP 1
 * CALLS: SIGCHLD 1
 * CALLS: SIGUSR2 3
 * PARENT: on_plain < SIGUSR1
 * PARENT: SIGUSR1 < plain
 * PARENT: on_information < SIGUSR2
 * PARENT: on_fault < SIGSEGV
 * PARENT: inner < on_information
 * INFO: signals: 11 handled
 * INFO: jumps: 1
 * INFO: lost: 0 events
 * INFO: misnested: 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int handled;

__attribute__((noinline)) static void inner(void) {
    handled++;
}

static void on_plain(int number) {
    handled += number;
    errno = 77;
}

static void on_other(int number) {
    handled += number;
}

static void on_information(int number, siginfo_t *information, void *context) {
    if (information->si_pid != getpid() || information->si_signo != number || !context)
        puts("the handler is told something else");
    inner();
}

static void on_fault(int number, siginfo_t *information, void *context) {
    (void)number, (void)context;
    printf("code %d at %p\n", information->si_code, information->si_addr);
    siglongjmp(back, 1);
}

static void on_child(int number, siginfo_t *information, void *context) {
    (void)context;
    printf("child %d ended with %d\n", number == SIGCHLD, information->si_status);
}

static const char *name(void (*handler)(int)) {
    return handler == SIG_DFL                          ? "default"
           : handler == SIG_IGN                        ? "ignored"
           : handler == on_plain                       ? "plain"
           : (void *)handler == (void *)on_information ? "information"
                                                       : "other";
}

static void ask(const char *what, int number) {
    struct sigaction now;
    memset(&now, 0x5a, sizeof now);
    sigaction(number, NULL, &now);
    printf("%s: %d is %s, flags %x\n", what, number, name(now.sa_handler), now.sa_flags & ~0x04000000);
}

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};
    sigaction(number, &action, NULL);
}

static void plain(void) {
    struct sigaction action = {.sa_handler = on_plain, .sa_flags = SA_NODEFER}, old;
    printf("was %s", name(signal(SIGUSR1, on_plain)));
    printf(", was %s\n", name(signal(SIGUSR1, on_plain)));
    errno = 5;
    kill(getpid(), SIGUSR1);
    printf("errno %d\n", errno);
    raise(SIGUSR1);
    ask("signal", SIGUSR1);
    sigaction(SIGUSR1, &action, &action);
    printf("before %s, flags %x\n", name(action.sa_handler), action.sa_flags & ~0x04000000);
    raise(SIGUSR1);
    ask("sigaction", SIGUSR1);
    sysv_signal(SIGUSR1, on_plain);
    ask("sysv_signal", SIGUSR1);
    raise(SIGUSR1);
    ask("after", SIGUSR1);
    sigset(SIGUSR1, on_plain);
    printf("sigset: %s\n", name(sigset(SIGUSR1, SIG_HOLD)));
    raise(SIGUSR1);
    printf("held: %s\n", name(sigset(SIGUSR1, SIG_IGN)));
    sigrelse(SIGUSR1);
    siginterrupt(SIGUSR2, 1);
    sigaction(SIGUSR2, NULL, &old);
    printf("USR2 is %s\n", name(old.sa_handler));
}

static void on_stacks(void) {
    stack_t large = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    install(SIGUSR2, on_information, SA_RESETHAND);
    ask("once", SIGUSR2);
    raise(SIGUSR2);
    ask("over", SIGUSR2);
    sigaltstack(&large, NULL);
    install(SIGUSR2, on_information, SA_ONSTACK);
    raise(SIGUSR2);
    sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 3});
    install(SIGSEGV, on_fault, SA_ONSTACK);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)0x124 = 1;
    signal(SIGSEGV, SIG_DFL);
}

static void processes(void) {
    int status;
    install(SIGCHLD, on_child, SA_RESTART);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGHUP, on_other);
        raise(SIGHUP);
        _exit(handled & 3);
    }
    while (waitpid(child, &status, 0) < 0)
        continue;
    printf("child: %d\n", WEXITSTATUS(status));
    signal(SIGCHLD, SIG_DFL);
}

int main(void) {
    sigset_t set;
    plain();
    on_stacks();
    fflush(stdout);
    handled = 0;
    processes();
    signal(SIGRTMIN + 2, on_other);
    raise(SIGRTMIN + 2);
    /* Taken without a handler: no delivery. */
    signal(SIGUSR1, on_plain);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    int number = 0;
    sigwait(&set, &number);
    printf("waited for %d\n", number == SIGUSR1);
    return 0;
}
