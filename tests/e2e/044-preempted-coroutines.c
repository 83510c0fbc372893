/* A scheduler by signals: the handler, on an alternate stack, keeps what it interrupted and jumps to the scheduler; the
 * next handler finds the stack as if it were new. Each handler nests in the coroutine that it interrupted.
 * MACHINE: x86_64
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * CALLS: noted 3000
 * CALLS: preempted_0 1000
 * CALLS: preempted_1 1000
 * CALLS: preempted_2 1000
 * PARENT: noted < keep
 * PARENT: on_signal_0 < preempted_0
 * PARENT: on_signal_1 < preempted_1
 * PARENT: on_signal_2 < preempted_2
 * PARENT: preempted_0 < body_0
 * PARENT: preempted_1 < body_1
 * PARENT: preempted_2 < body_2
 * PARENT: resume < main
 * INFO: unwound: 5998
 * INFO: misnested: 0
 * INFO: unfinished: 8
 *
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK = 65536, ROUNDS = 1000, COROUTINES = 3 };

static ucontext_t home, contexts[COROUTINES];
static int current;

__attribute__((noinline)) static void noted(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void keep(const ucontext_t *interrupted) {
    ucontext_t *mine = &contexts[current];
    noted();
    *mine = *interrupted;
    mine->uc_mcontext.fpregs = &mine->__fpregs_mem;
    memcpy(&mine->__fpregs_mem, interrupted->uc_mcontext.fpregs, sizeof mine->__fpregs_mem);
    setcontext(&home);
}

#define COROUTINE(number)                                                                                              \
    __attribute__((noinline)) static void preempted_##number(void) {                                                   \
        raise(SIGRTMIN + number);                                                                                      \
        __asm__ volatile("");                                                                                          \
    }                                                                                                                  \
    static void on_signal_##number(int signal, siginfo_t *info, void *interrupted) {                                   \
        (void)signal, (void)info;                                                                                      \
        keep(interrupted);                                                                                             \
    }                                                                                                                  \
    static void body_##number(void) {                                                                                  \
        for (;;)                                                                                                       \
            preempted_##number();                                                                                      \
    }
COROUTINE(0)
COROUTINE(1)
COROUTINE(2)

__attribute__((noinline)) static void resume(void) {
    volatile int resumed = 0;
    getcontext(&home);
    if (!resumed++)
        setcontext(&contexts[current]);
}

int main(void) {
    void (*const bodies[COROUTINES])(void) = {body_0, body_1, body_2};
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    void (*const handlers[COROUTINES])(int, siginfo_t *, void *) = {on_signal_0, on_signal_1, on_signal_2};
    sigaltstack(&stack, NULL);
    for (int i = 0; i < COROUTINES; i++) {
        struct sigaction action = {.sa_sigaction = handlers[i], .sa_flags = SA_ONSTACK | SA_SIGINFO};
        sigaction(SIGRTMIN + i, &action, NULL);
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(STACK);
        contexts[i].uc_stack.ss_size = STACK;
        makecontext(&contexts[i], bodies[i], 0);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (current = 0; current < COROUTINES; current++)
            resume();
    puts("done");
    return 0;
}
