/* Coroutines that switch inside hooked calls, which so end in another order than they began; and stacks that only the
 * program knows of: arguments that lie on two pages of one.
 * LIBRARY: libswitch.so
 * BUILD: gcc -O1 -fno-instrument-functions
 * BUILD: gcc -O2 -fno-instrument-functions -fno-plt
 * ENV: TRACE_HOOKS=switch_*
 * CALLS: switch_call 200
 * CALLS: switch_leaf 901
 * CALLS: switch_many 512
 * INFO: unfinished: 0
 * INFO: misnested: 0
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

int switch_call(int (*callback)(int), int n);
int switch_leaf(int n);
int switch_many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l);

#ifdef LIBRARY
int switch_call(int (*callback)(int), int n) {
    return callback(n) + 1;
}
int switch_leaf(int n) {
    return n;
}
int switch_many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l;
}
#else
#define COROUTINES 4
static ucontext_t main_context, contexts[COROUTINES];
static int ended;
static long sum, wrong;

static void next(int n) {
    swapcontext(&contexts[n], &contexts[(n + 1) % COROUTINES]);
}

static int callback(int n) {
    for (int i = 0; i < 3 + n; i++) {
        sum += switch_leaf(n);
        next(n);
    }
    return n;
}

static void coroutine(int n) {
    for (int i = 0; i < 50; i++)
        sum += switch_call(callback, n);
    ended++;
    while (ended < COROUTINES)
        next(n);
    setcontext(&main_context);
}

static void use_many(void) {
    wrong += switch_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) != 650;
}

/* As runtimes with stacks of their own do it. */
static void on_stack(char *top) {
#ifdef __x86_64__
    __asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; call *%1; mov %%rbx, %%rsp" ::"r"(top), "r"(use_many)
                     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
    (void)top;
    use_many();
#endif
}

int main(void) {
    enum { SIZE = 65536, EDGE = 65536 };
    volatile int begun = 0;
    switch_leaf(1);
    for (int n = 0; n < COROUTINES; n++) {
        getcontext(&contexts[n]);
        contexts[n].uc_stack.ss_sp = malloc(SIZE);
        contexts[n].uc_stack.ss_size = SIZE;
        makecontext(&contexts[n], (void (*)(void))coroutine, 1, n);
    }
    getcontext(&main_context);
    if (!begun) {
        begun = 1;
        setcontext(&contexts[0]);
    }
    /* Nothing can be read above its end. */
    char *stack = mmap(NULL, SIZE + EDGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, SIZE, PROT_READ | PROT_WRITE))
        return 1;
    for (int offset = 0; offset < 8192; offset += 16)
        on_stack(stack + SIZE - offset);
    printf("sum %ld, wrong %ld\n", sum, wrong);
    return 0;
}
#endif
