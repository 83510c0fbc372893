/* The first call of a thread is made on a coroutine's stack: those on the thread's own, wherever in a page they lie,
 * are still calls that begin and end.
 * LIBRARY: libfound.so
 * BUILD: gcc -O1 -fno-instrument-functions
 * ENV: TRACE_HOOKS=found_call(n:int text:str)=int
 * CALLS: found_call 257
 * INFO: unfinished: 0
 * INFO: unwound: 0
 * INFO: misnested: 0
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

int found_call(int n, const char *text);

#ifdef LIBRARY
int found_call(int n, const char *text) {
    return n + text[0];
}
#else
static ucontext_t main_context, context;
static int sum;

static void coroutine(void) {
    sum += found_call(1, "a");
}

__attribute__((noinline)) static void call_below(size_t bytes) {
    volatile char *memory = alloca(bytes);
    memory[0] = 1;
    sum += found_call(memory[0], "b");
}

int main(void) {
    getcontext(&context);
    context.uc_stack.ss_sp = malloc(65536);
    context.uc_stack.ss_size = 65536;
    context.uc_link = &main_context;
    makecontext(&context, coroutine, 0);
    swapcontext(&main_context, &context);
    for (size_t bytes = 4096; bytes > 0; bytes -= 16)
        call_below(bytes);
    printf("sum %d\n", sum);
    return 0;
}
#endif
