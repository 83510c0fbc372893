/* Libraries come and go in two threads, at addresses that others had, while hooked calls run in a third: nothing
 * crashes, no call is missed, and every call has the name of the library that it was made in.
 * PLUGIN: odd.so
 * PLUGIN: even.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O2 -fno-instrument-functions -fno-plt -Wl,-z,now
 * ENV: TRACE_HOOKS=odd_*,even_*,getppid,setpriority
 * CALLS: odd_call 600
 * CALLS: even_call 600
 * CALLS: setpriority 400
 * PARENT: setpriority < -
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STRING(x) #x
#define NAME(x) STRING(x)
#define JOIN(a, b) a##b
#define CALL(x) JOIN(x, _call)
#define RUN(x) JOIN(x, _run)

#ifdef PLUGIN
/* Sizes differ: what comes next lies elsewhere. */
__attribute__((used)) static char filler[sizeof NAME(PLUGIN) == 4 ? 300000 : 5000] = {1};

int CALL(PLUGIN)(int n) {
    return n + filler[0];
}
int RUN(PLUGIN)(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += CALL(PLUGIN)(n);
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0));
    return sum;
}
#else
static volatile int running = 2;

static void *load(void *name) {
    char path[32], symbol[32];
    long sum = 0;
    snprintf(path, sizeof path, "./%s.so", (char *)name);
    snprintf(symbol, sizeof symbol, "%s_run", (char *)name);
    for (int i = 0; i < 200; i++) {
        void *library = dlopen(path, i % 2 ? RTLD_NOW | RTLD_LOCAL : RTLD_LAZY | RTLD_LOCAL);
        int (*run)(int) = library ? (int (*)(int))dlsym(library, symbol) : NULL;
        if (!run)
            abort();
        sum += run(i);
        dlclose(library);
    }
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return (void *)sum;
}

static void *call(void *unused) {
    (void)unused;
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
        getppid();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    void *results[3];
    pthread_create(&threads[0], NULL, load, "odd");
    pthread_create(&threads[1], NULL, load, "even");
    pthread_create(&threads[2], NULL, call, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], &results[i]);
    printf("sums %ld %ld\n", (long)results[0], (long)results[1]);
    return 0;
}
#endif
