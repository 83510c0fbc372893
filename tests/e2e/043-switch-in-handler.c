/* A handler on an alternate stack switches to a coroutine and back, or away for good: its calls stay its own, and nest
 * in what it interrupted.
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * BUILD: clang -O2
 * CALLS: on_signal 3000
 * CALLS: before 3000
 * CALLS: after 2000
 * CALLS: step 2000
 * PARENT: on_signal < interrupted
 * PARENT: before < on_signal
 * PARENT: after < on_signal
 * PARENT: step < body
 * PARENT: interrupted < main
 * INFO: unwound: 2000
 * INFO: misnested: 0
 * INFO: unfinished: 2
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK = 65536, ROUNDS = 1000 };

static ucontext_t home, handler, coroutine;
static volatile int leaves;

__attribute__((noinline)) static void before(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void after(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void step(void) {
    swapcontext(&coroutine, &handler);
}

static void body(void) {
    for (;;)
        step();
}

static void on_signal(int number) {
    (void)number;
    before();
    if (leaves)
        setcontext(&home);
    swapcontext(&handler, &coroutine);
    after();
}

__attribute__((noinline)) static void interrupted(void) {
    raise(SIGUSR1);
    __asm__ volatile("");
}

int main(void) {
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = malloc(STACK);
    coroutine.uc_stack.ss_size = STACK;
    coroutine.uc_link = NULL;
    makecontext(&coroutine, body, 0);
    volatile int round = 0;
    getcontext(&home); /* comes back here each time that the handler leaves */
    while (round < ROUNDS) {
        leaves = 0;
        interrupted();
        interrupted();
        leaves = 1;
        round++;
        interrupted();
    }
    puts("done");
    return 0;
}
