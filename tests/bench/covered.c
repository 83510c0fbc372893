/* covered COUNT: a loop over a few basic blocks, compiled with coverage callbacks; prints "COUNT CPU-nanoseconds". */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
}

__attribute__((noinline)) static unsigned long work(unsigned long count) {
    unsigned long sum = 0;
    for (unsigned long i = 0; i < count; i++)
        if (i & 1)
            sum += i;
        else
            sum ^= i;
    return sum;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    unsigned long count = strtoul(argv[1], NULL, 10), start = cpu_ns();
    volatile unsigned long sum = work(count);
    (void)sum;
    printf("%lu %lu\n", count, cpu_ns() - start);
    return 0;
}
