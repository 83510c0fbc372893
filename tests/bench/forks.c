/* forks COUNT: forks, each child makes one call and ends; prints the median of the nanoseconds until each was waited
 * for. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((no_instrument_function)) static int compare(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

__attribute__((no_instrument_function)) static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((noinline)) static void work(void) {
    __asm__ volatile("");
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 100;
    long *times = calloc((size_t)count + 1, sizeof *times);
    if (times == NULL)
        return 1;
    work();
    for (int i = 0; i < count; i++) {
        long start = now();
        pid_t child = fork();
        if (child == 0) {
            work();
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child)
            return 1;
        times[i] = now() - start;
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    printf("%ld\n", times[count / 2]);
    return 0;
}
