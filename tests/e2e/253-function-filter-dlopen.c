/*
 * TRACE_FUNCTIONS in objects that several threads open at the same time, and a forked child: the process that reads the
 * names is not seen by the program, which waits for its own children and counts them.
 * BUILD: gcc -O1 -ldl
 * PLUGIN: one.so
 * PLUGIN: two.so
 * PLUGIN: three.so
 * NOT-EMULATED: the emulator cannot make the process that reads the names
 * ENV: TRACE_FUNCTIONS=wanted
 * ENV: TRACE_RENDER_TIMEOUT=60
 * CALLS: wanted 35
 * CALLS: unwanted 0
 * CALLS: main 0
 * INFO: processes: 2
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

#ifdef PLUGIN
__attribute__((noinline)) static int unwanted(int n) {
    return n + 1;
}

__attribute__((noinline)) int wanted(int n) {
    return unwanted(n) + 1;
}
#else

static const char *const names[] = {"./one.so", "./two.so", "./three.so"};
static volatile sig_atomic_t children;

static QUIET void on_child(int signal) {
    (void)signal;
    children++;
}

static QUIET int use(const char *name, int times) {
    int sum = 0;
    void *plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    int (*wanted)(int) = plugin ? (int (*)(int))dlsym(plugin, "wanted") : NULL;
    for (int i = 0; i < times; i++)
        sum += wanted ? wanted(i) : 1000;
    return sum;
}

static QUIET void *thread_body(void *number) {
    long sum = 0;
    for (int i = 0; i < 3; i++)
        sum += use(names[((long)number + i) % 3], 3);
    return (void *)sum;
}

int main(void) {
    pthread_t threads[3];
    long sum = 0;
    int status = 0;
    signal(SIGCHLD, on_child);
    pid_t child = fork();
    if (child == 0)
        _exit(use(names[0], 8) == 44 ? 5 : 6);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, thread_body, (void *)i);
    for (int i = 0; i < 3; i++) {
        void *part = NULL;
        pthread_join(threads[i], &part);
        sum += (long)part;
    }
    int found = waitpid(-1, &status, 0) == child && WEXITSTATUS(status) == 5;
    int none = waitpid(-1, &status, 0) == -1 && errno == ECHILD;
    printf("sum %ld, child %d, no other %d, %d signals\n", sum, found, none, (int)children);
    return 0;
}
#endif
