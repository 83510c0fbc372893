/*
 * Signals at any instruction, also inside the hooks, their handler on an alternate stack: below the thread's own, then
 * above it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { STACK = 65536, CALLS = 300000 };

__attribute__((noinline)) static void in_handler(void) {
    __asm__ volatile("");
}

static void on_timer(int number) {
    (void)number;
    in_handler();
}

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void work(void) {
    leaf();
    leaf();
    __asm__ volatile("");
}

__attribute__((noinline)) static void run(void *memory) {
    stack_t stack = {.ss_sp = memory, .ss_size = STACK};
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    sigaltstack(&stack, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < CALLS; i++)
        work();
    setitimer(ITIMER_REAL, &never, NULL);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
}

int main(void) {
    char above[STACK];
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    run(malloc(STACK));
    run(above);
    puts("done");
    return 0;
}
