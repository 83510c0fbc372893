/*
 * kill-processes FILE: eight threads call step for ever, and each makes children that do so too, threads of theirs with
 * them; step counts itself in FILE, which all of them map, each task in its own place.
 * kill-processes FILE print: prints what was counted, and how many tasks counted it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, TASKS = 4000, STRIDE = 8, CALLS_OF_CHILD = 3000 };

static volatile unsigned long *counters;

__attribute__((noinline)) static void step(volatile unsigned long *counter) {
    ++*counter;
}

/* The first word counts the tasks. */
__attribute__((no_instrument_function)) static volatile unsigned long *place(void) {
    unsigned long task = __atomic_add_fetch(counters, 1, __ATOMIC_RELAXED);
    if (task >= TASKS)
        pause();
    return counters + task * STRIDE;
}

__attribute__((no_instrument_function)) static void *calls(void *many) {
    volatile unsigned long *counter = place();
    for (int i = 0; i < CALLS_OF_CHILD; i++)
        step(counter);
    return many;
}

__attribute__((no_instrument_function)) static void child(void) {
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, calls, NULL);
    calls(NULL);
    if (!failed)
        pthread_join(thread, NULL);
    _exit(0);
}

__attribute__((no_instrument_function)) static void *work(void *unused) {
    volatile unsigned long *counter = place();
    for (;;) {
        for (int i = 0; i < 20000; i++)
            step(counter);
        pid_t pid = fork();
        if (pid == 0)
            child();
        waitpid(pid, NULL, 0);
    }
    return unused;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv) {
    size_t bytes = sizeof *counters * STRIDE * (TASKS + 1);
    pthread_t thread;
    int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return 1;
    counters = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counters == MAP_FAILED)
        return 1;
    if (argc > 2) {
        unsigned long sum = 0;
        for (unsigned task = 1; task <= TASKS; task++)
            sum += counters[task * STRIDE];
        printf("%lu %lu\n", sum, counters[0]);
        return 0;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, work, NULL);
    pause();
    return 0;
}
