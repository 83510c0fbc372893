/*
 * Level 2 in a program that is instrumented in part: every span says where it was called, functions that are not
 * instrumented stand between it and a hooked call as frames without a time, inlined ones too. Rows C4, C17.
 * BUILD: gcc -O2
 * BUILD: gcc -O0
 * ENV: TRACE_LEVEL=2
 * ENV: TRACE_HOOKS=access
 * CALLS: work 2
 * PARENT: work < main
 * INFO: callers: 6 calls with their call site, 3 with their stack, of which 3 come to an open call or to the start of
 * their thread TREE: └── main (dur) {app} ├── work (dur) {app} [at='170-call-sites.c:43'] │   ├── access (dur)
 * {libc.so.6} [ERROR] [path='/none/1', mode=F_OK, at='170-call-sites.c:37', error='ENOENT'] │   └── outer (from stack)
 * {app} │       └── inner (from stack) {app} │           └── access (dur) {libc.so.6} [ERROR] [path='/none/2',
 * mode=F_OK, at='170-call-sites.c:27', error='ENOENT'] └── work (dur) {app} [at='170-call-sites.c:44'] └── access (dur)
 * {libc.so.6} [ERROR] [path='/none/1', mode=F_OK, at='170-call-sites.c:37', error='ENOENT']
 */
#include <unistd.h>

#define BARE __attribute__((no_instrument_function))

BARE __attribute__((always_inline)) static inline int inner(const char *path) {
    int result = access(path, F_OK);
    __asm__ volatile("");
    return result;
}

BARE __attribute__((noinline, noipa)) static int outer(void) {
    return inner("/none/2") + 1;
}

__attribute__((noinline, noipa)) static int work(int twice) {
    int result = access("/none/1", F_OK);
    return twice ? result + outer() : result;
}

int main(void) {
    int result = 0;
    result += work(1);
    result += work(0);
    return result > 0;
}
