/* Makes a known number of calls and notes the time of every 1000th, by CLOCK_MONOTONIC in ns: one line each. Part of
 * 132-certificate-ring.sh. usage: ring FILE CALLS, a multiple of 1000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static void call(int n) {
    __asm__ volatile("" ::"r"(n));
}

__attribute__((no_instrument_function)) static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv) {
    int calls = argc > 2 ? atoi(argv[2]) : 0;
    uint64_t *times = calloc((size_t)calls / 1000 + 1, sizeof *times);
    FILE *out = fopen(argv[1], "w");
    for (int i = 0; i <= calls; i++) {
        if (i % 1000 == 0)
            times[i / 1000] = now();
        if (i < calls)
            call(i);
    }
    for (int i = 0; i <= calls / 1000; i++)
        fprintf(out, "%llu\n", (unsigned long long)times[i]);
    return fclose(out);
}
