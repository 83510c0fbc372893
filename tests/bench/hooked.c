/* hooked none|value|clock COUNT: calls a function of a library, or reads the clock; prints "COUNT CPU-nanoseconds". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

int callee_none(void);
int callee_value(int value);

static unsigned long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
}

static void call_none(unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        callee_none();
}

static void call_value(unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        callee_value((int)i);
}

static void read_clock(unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        __rdtsc();
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    unsigned long count = strtoul(argv[2], NULL, 10), start = cpu_ns();
    if (!strcmp(argv[1], "none"))
        call_none(count);
    else if (!strcmp(argv[1], "value"))
        call_value(count);
    else
        read_clock(count);
    printf("%lu %lu\n", count, cpu_ns() - start);
    return 0;
}
