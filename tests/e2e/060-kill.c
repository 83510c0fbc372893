/*
 * kill FILE: four threads call step for ever; step counts itself in FILE, which all of them map.
 * kill FILE print: prints what was counted.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, STRIDE = 8 };

static volatile unsigned long *counters;

__attribute__((noinline)) static void step(volatile unsigned long *counter) {
    ++*counter;
}

static void *work(void *counter) {
    for (;;)
        step(counter);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    unsigned long sum = 0;
    int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return 1;
    counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counters == MAP_FAILED)
        return 1;
    if (argc > 2) {
        for (int i = 0; i < THREADS; i++)
            sum += counters[i * STRIDE];
        printf("%lu\n", sum);
        return 0;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, work, (void *)&counters[i * STRIDE]);
    pause();
    return 0;
}
