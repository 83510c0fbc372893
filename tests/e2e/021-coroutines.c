/* Two coroutines on stacks that lie side by side in one block, one switching to the other inside a call: nothing counts
 * as dead, every call is closed under its own parent. Rows A19, C21.
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * CALLS: body 2
 * CALLS: step 2000
 * CALLS: leaf 2000
 * PARENT: step < body
 * PARENT: leaf < step
 * PARENT: resume < main
 * INFO: unwound: 0
 * INFO: unfinished: 0
 */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK = 65536, STEPS = 1000 };

/* home -> 0 -> 1 -> home, over and over */
static ucontext_t home, contexts[2];
static ucontext_t *const next[2] = {&contexts[1], &home};
static int done[2];

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void step(int me) {
    leaf();
    swapcontext(&contexts[me], next[me]);
    done[me]++;
}

static void body(int me) {
    for (int i = 0; i < STEPS; i++)
        step(me);
}

__attribute__((noinline)) static void resume(void) {
    swapcontext(&home, &contexts[0]);
}

int main(void) {
    char *stacks = malloc(2 * STACK);
    for (int i = 0; i < 2; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks + i * STACK;
        contexts[i].uc_stack.ss_size = STACK;
        contexts[i].uc_link = next[i];
        makecontext(&contexts[i], (void (*)(void))body, 1, i);
    }
    for (int i = 0; i <= STEPS; i++)
        resume();
    printf("%d %d\n", done[0], done[1]);
    free(stacks);
    return 0;
}
