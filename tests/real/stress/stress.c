/*
 * stress COUNTERS SECONDS SEED: threads that call, fork, load and unload plugins, make further threads and are hit by
 * signals, some of whose handlers jump away, all at random, until the time is up. Every call of step counts itself in
 * the file COUNTERS, which all processes map: in the end it says how many there were, and how many may have been
 * recorded but not counted, having been cut off in between.
 * stress COUNTERS print: prints both numbers.
 * stress COUNTERS child: what a child executes.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

enum { WORKERS = 4, PLUGINS = 3 };

static struct counters {
    uint64_t counted;
    uint64_t cut; /* jumps out of handlers, threads that did not see their process's end */
} * counters;
static const char *path, *program;
static volatile int stop;
/* libc's fork leaves a child the loader's locks as other threads hold them: held around all that takes those. */
static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;
static __thread sigjmp_buf back;
static __thread volatile int may_jump;

__attribute__((noinline)) void step(unsigned depth) {
    __atomic_fetch_add(&counters->counted, 1, __ATOMIC_RELAXED);
    if (depth)
        step(depth - 1);
}

QUIET static void cut(unsigned calls) {
    __atomic_fetch_add(&counters->cut, calls, __ATOMIC_RELAXED);
}

QUIET static unsigned draw(uint64_t *state, unsigned below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((*state >> 33) % below);
}

static void on_signal(int number) {
    step(2);
    if (number == SIGUSR2 && may_jump) {
        may_jump = 0;
        cut(1);
        siglongjmp(back, 1);
    }
}

static void *short_thread(void *depth) {
    step((unsigned)(uintptr_t)depth);
    return NULL;
}

QUIET static void make_thread(unsigned depth) {
    pthread_t thread;
    pthread_mutex_lock(&loader);
    int failed = pthread_create(&thread, NULL, short_thread, (void *)(uintptr_t)depth);
    pthread_mutex_unlock(&loader);
    if (!failed)
        pthread_join(thread, NULL);
}

QUIET static void use_plugin(unsigned number) {
    char file[64];
    snprintf(file, sizeof file, "./plugin%u.so", number);
    pthread_mutex_lock(&loader);
    void *plugin = dlopen(file, RTLD_NOW | (number & 1 ? RTLD_GLOBAL : RTLD_LOCAL));
    void (*work)(void (*)(unsigned)) = plugin ? (void (*)(void (*)(unsigned)))dlsym(plugin, "plugin_work") : NULL;
    pthread_mutex_unlock(&loader);
    if (!work)
        abort();
    work(step);
    pthread_mutex_lock(&loader);
    dlclose(plugin);
    pthread_mutex_unlock(&loader);
}

QUIET static void jump(void) {
    if (sigsetjmp(back, 1) == 0) {
        may_jump = 1;
        pthread_kill(pthread_self(), SIGUSR2);
        step(3);
    }
    may_jump = 0;
}

/* How children end: none of them may be cut off in a call. */
QUIET static void child(unsigned way) {
    char *arguments[] = {(char *)program, (char *)path, "child", NULL};
    step(way % 40);
    if (way % 7 == 0)
        make_thread(4);
    switch (way % 5) {
    case 0:
        _exit(0);
    case 1:
        exit(0);
    case 2:
        execv("/proc/self/exe", arguments);
        abort();
    case 3:
        raise(SIGKILL);
    }
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
}

QUIET static void make_child(unsigned way) {
    static const int wanted[] = {0, 0, 0, SIGKILL, SIGTERM};
    int status = -1;
    pthread_mutex_lock(&loader);
    pid_t pid = fork();
    pthread_mutex_unlock(&loader);
    if (pid == 0)
        child(way);
    while (waitpid(pid, &status, 0) < 0 && pid > 0)
        ;
    if (pid > 0 && status != wanted[way % 5]) {
        printf("child %u ended with %x\n", way, status);
        exit(1);
    }
}

static void *worker(void *seed) {
    uint64_t state = (uintptr_t)seed;
    while (!stop) {
        switch (draw(&state, 40)) {
        case 0:
            make_child(draw(&state, 1000));
            break;
        case 1:
        case 2:
            use_plugin(draw(&state, PLUGINS));
            break;
        case 3:
            make_thread(draw(&state, 20));
            break;
        case 4:
        case 5:
            jump();
            break;
        case 6:
            pthread_kill(pthread_self(), SIGUSR1);
            break;
        default:
            for (unsigned i = 0; i < 200; i++)
                step(draw(&state, 12));
        }
    }
    return NULL;
}

QUIET static int map_counters(void) {
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return -1;
    counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return counters == MAP_FAILED ? -1 : close(fd);
}

QUIET int main(int count, char **arguments) {
    pthread_t threads[WORKERS];
    program = arguments[0];
    path = arguments[1];
    if (count < 3 || map_counters())
        return 2;
    if (!strcmp(arguments[2], "print")) {
        printf("%llu %llu\n", (unsigned long long)counters->counted, (unsigned long long)counters->cut);
        return 0;
    }
    if (!strcmp(arguments[2], "child")) {
        step(6);
        return 0;
    }
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    uint64_t seed = strtoull(arguments[3], NULL, 10), state = seed;
    time_t end = time(NULL) + atoi(arguments[2]);
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)(seed * WORKERS + i));
    while (time(NULL) < end) {
        struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        pthread_kill(threads[draw(&state, WORKERS)], SIGUSR1);
    }
    unsigned way = seed % 4;
    puts("done");
    fflush(stdout);
    if (way >= 2) /* the workers are cut off: each in one call, with a handler's and a child's in it */
        cut(4 * WORKERS);
    if (way == 3)
        raise(SIGKILL);
    if (way == 2)
        _exit(0);
    stop = 1;
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
