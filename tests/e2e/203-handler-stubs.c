/* Level 3: what stands in for a handler harms nobody: on an alternate stack that is hardly enough without us, asked for
 * by a bare instruction, called by its address, as by a library that chains to what it found.
 * BUILD: gcc -O1
 * BUILD: gcc -O1 -no-pie -fno-pie
 * MACHINE: x86_64
 * ENV: TRACE_LEVEL=3
 * ENV: TRACE_HOOKS=
 * CALLS: main 1
 * CALLS: SIGUSR2 4
 * CALLS: SIGHUP 1
 * INFO: lost: 0 events
 * INFO: misnested: 0
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

static volatile int handled, chained;
static void (*found)(int, siginfo_t *, void *);

/* Past libc, as some run-time libraries do it. */
static long bare_sigaction(long number, const struct kernel_action *action, struct kernel_action *old) {
    long result;
    register long bytes __asm__("r10") = 8;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_rt_sigaction), "D"(number), "S"(action), "d"(old), "r"(bytes)
                     : "rcx", "r11", "memory");
    return result;
}

__attribute__((no_instrument_function)) static void on_signal(int number) {
    handled += number > 0;
}

__attribute__((no_instrument_function)) static void chain(int number, siginfo_t *information, void *context) {
    chained++;
    found(number, information, context);
}

static void small_stacks(void) {
    long least = sysconf(_SC_MINSIGSTKSZ);
    char *stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    if (stack == MAP_FAILED || mprotect(stack, 4096, PROT_NONE) != 0)
        return;
    sigaction(SIGUSR1, &action, NULL);
    for (long bytes = least; bytes < least + 8192; bytes += 64) {
        stack_t alternate = {.ss_sp = stack + 4096, .ss_size = (size_t)bytes};
        sigaltstack(&alternate, NULL);
        raise(SIGUSR1);
    }
    printf("on small stacks: %d\n", handled);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
}

static void found_by_others(void) {
    struct kernel_action now;
    handled = 0;
    signal(SIGUSR2, on_signal);
    bare_sigaction(SIGUSR2, NULL, &now);
    now.handler(SIGUSR2, NULL, NULL);
    now.handler(SIGUSR2, (siginfo_t *)8, (void *)1);
    found = now.handler;
    struct sigaction own = {.sa_sigaction = chain, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR2, &own, NULL);
    raise(SIGUSR2);
    printf("handled %d, chained %d\n", handled, chained);
    now.handler = chain;
    now.flags |= SA_SIGINFO;
    signal(SIGHUP, on_signal);
    bare_sigaction(SIGHUP, &now, NULL);
    raise(SIGHUP);
    printf("handled %d, chained %d\n", handled, chained);
}

int main(void) {
    small_stacks();
    found_by_others();
    return 0;
}
