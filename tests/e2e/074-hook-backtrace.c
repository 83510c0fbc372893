/* Unwinders go through hooked calls: from inside the called function, and from a signal that arrives anywhere on
 * the way in or out; they find the same functions as without us.
 * LIBRARY: libchain.so
 * BUILD: gcc -O1 -fno-instrument-functions -fno-omit-frame-pointer -rdynamic
 * BUILD: gcc -O2 -fno-instrument-functions -fno-optimize-sibling-calls -rdynamic -fno-plt
 * BUILD: gcc -O1 -fno-instrument-functions -rdynamic -no-pie -fno-pie
 * ENV: TRACE_HOOKS=chain_*
 * CALLS: chain_first 1
 * CALLS: chain_wide 1
 * CALLS: chain_short 200000
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unwind.h>

struct wide {
    char bytes[300];
};
int chain_first(int (*next)(int), int n);
int chain_wide(int (*next)(int), struct wide wide, int n);
int chain_short(const char *text, int n);

#ifdef LIBRARY
int chain_first(int (*next)(int), int n) {
    return next(n + 1) + 1;
}
int chain_wide(int (*next)(int), struct wide wide, int n) {
    return next(n + wide.bytes[3]) + 1;
}
int chain_short(const char *text, int n) {
    return text[0] + n;
}
#else
static int is_main(const void *address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_sname && strcmp(info.dli_sname, "main") == 0;
}

static void say(const void *address) {
    Dl_info info;
    if (dladdr(address, &info) && info.dli_sname && !strstr(info.dli_fname, "traceshim"))
        printf("  %s\n", info.dli_sname);
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *unused) {
    (void)unused;
    say((void *)(_Unwind_GetIP(context) - 1));
    return _URC_NO_REASON;
}

__attribute__((noinline)) int say_stack(int n) {
    void *frames[64];
    printf("backtrace %d\n", n);
    int count = backtrace(frames, 64);
    for (int i = 0; i < count; i++)
        say((char *)frames[i] - 1);
    printf("_Unwind_Backtrace\n");
    _Unwind_Backtrace(visit, NULL);
    return n;
}

__attribute__((noinline)) int middle(int n) {
    return chain_wide(say_stack, (struct wide){{1, 2, 3, 4}}, n) + 1;
}

/* Those of aarch64 have no unwind information: no stack is known from there, traced or not. */
static int is_linkage_table(const void *address) {
#ifdef __aarch64__
    Dl_info info;
    return dladdr(address, &info) && !info.dli_sname && !strstr(info.dli_fname, "traceshim");
#else
    (void)address;
    return 0;
#endif
}

static volatile sig_atomic_t signals, reached;

static void on_signal(int number) {
    void *frames[64];
    (void)number;
    int count = backtrace(frames, 64), found = 0;
    for (int i = 0; i < count; i++)
        found |= is_main((char *)frames[i] - 1);
    found |= count && is_linkage_table(frames[count - 1]);
    signals++;
    reached += found;
}

int main(void) {
    printf("%d\n", chain_first(middle, 5));
    struct itimerval every = {{0, 500}, {0, 500}};
    signal(SIGPROF, on_signal);
    setitimer(ITIMER_PROF, &every, NULL);
    int sum = 0;
    for (int i = 0; i < 200000; i++)
        sum += chain_short("a", i & 7);
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_PROF, &every, NULL);
    printf("sum %d, all stacks reach main: %d\n", sum, signals == reached);
    return 0;
}
#endif
