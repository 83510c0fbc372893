/*
 * Level 2 in a program that is instrumented in part: every span says where it was called, functions that are not
 * instrumented stand between it and a hooked call as frames without a time, inlined ones too. Rows C4, C17.
 * BUILD: gcc -O2
 * BUILD: gcc -O0
 * ENV: TRACE_LEVEL=2
 * ENV: TRACE_HOOKS=getpagesize
 * CALLS: work 2
 * PARENT: work < main
 * INFO: callers: 6 call sites, 3 stacks, 3 whole
 * TREE:
 * └── main (dur) {app}
 *     ├── work (dur) {app} [at='170-call-sites.c:40']
 *     │   ├── getpagesize (dur) {libc.so.6} [at='170-call-sites.c:34']
 *     │   └── outer (from stack) {app}
 *     │       └── inner (from stack) {app}
 *     │           └── getpagesize (dur) {libc.so.6} [at='170-call-sites.c:24']
 *     └── work (dur) {app} [at='170-call-sites.c:41']
 *         └── getpagesize (dur) {libc.so.6} [at='170-call-sites.c:34']
 */
#include <unistd.h>

__attribute__((no_instrument_function, always_inline)) static inline int inner(void) {
    int result = getpagesize();
    __asm__ volatile("");
    return result;
}

__attribute__((no_instrument_function, noinline, noipa)) static int outer(void) {
    return inner() + 1;
}

__attribute__((noinline, noipa)) static int work(int twice) {
    int result = getpagesize();
    return twice ? result + outer() : result;
}

int main(void) {
    int result = 0;
    result += work(1);
    result += work(0);
    return result < 0;
}
