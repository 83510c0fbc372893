/* counter-forbidden tsc|by-call|strict: forbids itself the processor's counter; before: and is executed so
 * The program steps through itself by the trap flag to see that it is not read: not every machine heeds the ban.
 */
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define QUIET __attribute__((noinline, no_instrument_function))

static volatile unsigned reads, steps;

QUIET static void on_trap(int number, siginfo_t *information, void *context) {
    const uint8_t *code = (const uint8_t *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    steps++;
    if ((code[0] == 0x0f && code[1] == 0x31) || (code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9))
        reads++;
}

__attribute__((noinline)) static int leaf(int value) {
    return value + 1;
}

__attribute__((noinline)) static int middle(int value) {
    return leaf(value) + leaf(value + 1);
}

__attribute__((noinline)) static void nap(void) {
    usleep(20000);
}

__attribute__((noinline)) static void spin(void) {
    for (volatile int i = 0; i < 30000000; i++)
        ;
}

QUIET static void step_through(void) {
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
    for (int i = 0; i < 20; i++)
        middle(i);
    getppid();
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
}

QUIET static void *thread_body(void *unused) {
    step_through();
    return unused;
}

QUIET static int forbid(const char *way) {
    if (!strcmp(way, "tsc"))
        return prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    if (!strcmp(way, "by-call"))
        return (int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

QUIET int main(int count, char **arguments) {
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    const char *way = arguments[1];
    pthread_t thread;
    sigaction(SIGTRAP, &action, NULL);
    if (!strcmp(way, "before")) {
        if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
            return 77;
        execl("/proc/self/exe", arguments[0], "after", NULL);
        return 1;
    }
    middle(1);
    nap();
    if (strcmp(way, "after") && forbid(way))
        return 77;
    if (!strcmp(way, "strict")) {
        spin();
        step_through();
        dprintf(1, reads ? "the counter was read\n" : "the counter was not read\n");
        syscall(SYS_exit, 5);
    }
    nap();
    step_through();
    pthread_create(&thread, NULL, thread_body, NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        step_through();
        _exit(reads != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("%u reads of the counter, child %x, %s\n", reads, status, steps > 1000 ? "many steps" : "few steps");
    return 5;
}
