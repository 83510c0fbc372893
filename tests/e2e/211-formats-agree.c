/* Threads, a fork inside a call, recursion deeper than viewers take, jumps, other stacks and calls that fail. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static jmp_buf back;
static ucontext_t main_context, other_context;

__attribute__((noinline)) static int leaf(int n) {
    return n + 1;
}

__attribute__((noinline)) static int recurse(int n) {
    return n == 0 ? leaf(0) : recurse(n - 1) + 1;
}

__attribute__((noinline)) static void *work(void *unused) {
    for (int i = 0; i < 20; i++)
        leaf(i);
    recurse(10);
    return unused;
}

__attribute__((noinline)) static void jump(int n) {
    if (n == 0)
        longjmp(back, 1);
    jump(n - 1);
}

__attribute__((noinline)) static void on_other_stack(void) {
    for (int i = 0; i < 3; i++) {
        leaf(i);
        swapcontext(&other_context, &main_context);
    }
}

__attribute__((noinline)) static void switch_stacks(void) {
    static char stack[65536];
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = sizeof stack;
    other_context.uc_link = &main_context;
    makecontext(&other_context, on_other_stack, 0);
    for (int i = 0; i < 4; i++) {
        leaf(i);
        swapcontext(&main_context, &other_context);
    }
}

__attribute__((noinline)) static void make_child(void) {
    pid_t child = fork();
    if (child == 0) {
        leaf(1);
        _exit(3);
    }
    waitpid(child, NULL, 0);
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    recurse(600);
    if (setjmp(back) == 0)
        jump(3);
    switch_stacks();
    make_child();
    access("/missing", R_OK);
    puts("done");
    return 0;
}
