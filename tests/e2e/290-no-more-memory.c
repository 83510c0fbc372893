/*
 * For 290-no-more-memory.sh. Takes away its own right to map memory, calls `short_of` more often than what is mapped
 * holds, and `newest` once; gets the right back and calls `later`.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

__attribute__((noinline)) static long short_of(long n) {
    return n + 1;
}

__attribute__((noinline)) static long newest(long n) {
    return n * 2;
}

__attribute__((noinline)) static long later(long n) {
    return n + 1;
}

int main(void) {
    struct rlimit before, now;
    unsigned long pages = 0;
    FILE *memory = fopen("/proc/self/statm", "r");
    if (!memory || fscanf(memory, "%lu", &pages) != 1 || getrlimit(RLIMIT_AS, &before))
        return 1;
    now = before;
    now.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE);
    setrlimit(RLIMIT_AS, &now);
    long n = 0;
    while (n < 1000000)
        n = short_of(n);
    n = newest(n);
    setrlimit(RLIMIT_AS, &before);
    for (int i = 0; i < 100000; i++)
        n = later(n);
    printf("%ld\n", n);
    return 0;
}
