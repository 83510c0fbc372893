/*
 * A scheduler that is not instrumented takes coroutines off the processor, also in the middle of their hooks, and lets
 * them go on while the recorder knows another stack as current.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { STACK = 65536, COROUTINES = 8, SWITCHES = 3000 };

static ucontext_t home, contexts[COROUTINES];
static volatile int current;

__attribute__((no_instrument_function)) static void on_timer(int number) {
    (void)number;
    char *low = contexts[current].uc_stack.ss_sp, here;
    if (&here >= low && &here < low + STACK) /* else the scheduler runs */
        swapcontext(&contexts[current], &home);
}

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void nested(int depth) {
    leaf();
    if (depth)
        nested(depth - 1);
    leaf();
}

static void body(int me) {
    for (;;)
        nested(3 * me);
}

__attribute__((noinline)) static void resume(int which) {
    current = which;
    swapcontext(&home, &contexts[which]);
}

int main(void) {
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(STACK);
        contexts[i].uc_stack.ss_size = STACK;
        makecontext(&contexts[i], (void (*)(void))body, 1, i);
    }
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < SWITCHES; i++)
        resume(i % COROUTINES);
    setitimer(ITIMER_REAL, &never, NULL);
    puts("done");
    return 0;
}
