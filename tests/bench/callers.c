/*
 * callers malloc|call COUNT DEPTH: allocates and frees, or calls a function of a library, DEPTH calls below main;
 * prints "COUNT CPU-nanoseconds".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int callee_none(void);

static unsigned long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
}

__attribute__((noinline, noipa)) static void allocate(unsigned long count) {
    for (unsigned long i = 0; i < count; i++) {
        void *volatile memory = malloc(32);
        free(memory);
    }
}

__attribute__((noinline, noipa)) static void call(unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        callee_none();
}

__attribute__((noinline, noipa)) static int below(int depth, void (*work)(unsigned long), unsigned long count) {
    if (depth == 0)
        work(count);
    return depth ? below(depth - 1, work, count) + 1 : 0;
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    unsigned long count = strtoul(argv[2], NULL, 10);
    below(atoi(argv[3]), strcmp(argv[1], "malloc") ? call : allocate, count / 10); /* stacks are known from here on */
    unsigned long start = cpu_ns();
    below(atoi(argv[3]), strcmp(argv[1], "malloc") ? call : allocate, count);
    printf("%lu %lu\n", count, cpu_ns() - start);
    return 0;
}
