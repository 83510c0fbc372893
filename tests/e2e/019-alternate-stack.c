/* A handler on an alternate stack, above or below the thread's own: its calls nest in the interrupted call, and the
 * interrupted calls are not taken for dead.
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * BUILD: clang -O2
 * CALLS: on_signal 2000
 * CALLS: leaf 3000
 * INFO: unwound: 0
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int handled;

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

static void on_signal(int number) {
    (void)number;
    leaf();
    handled++;
}

__attribute__((noinline)) static int interrupted(int depth) {
    if (depth > 0)
        return interrupted(depth - 1) + 1;
    raise(SIGUSR1);
    return 0;
}

static int rounds(void *stack_bytes) {
    stack_t stack = {.ss_sp = stack_bytes, .ss_size = 65536};
    if (sigaltstack(&stack, NULL) != 0)
        return 1;
    for (int i = 0; i < 1000; i++) {
        interrupted(5);
        if (i % 2 == 0)
            leaf();
    }
    stack.ss_flags = SS_DISABLE;
    return sigaltstack(&stack, NULL);
}

int main(void) {
    char above[65536]; /* in this frame: its addresses are above those of the frames to come */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    char *below = malloc(65536);
    sigaction(SIGUSR1, &action, NULL);
    int failed = rounds(below) | rounds(above);
    printf("handled %d\n", handled);
    return failed;
}
