/* One slow leaf, many quick ones, and a quick call that holds a slow one. */
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) static void quick(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void slow(void) {
    struct timespec pause = {0, 20 * 1000 * 1000};
    nanosleep(&pause, NULL);
}

__attribute__((noinline)) static void around(void) {
    quick();
    slow();
    quick();
}

int main(void) {
    for (int i = 0; i < 1000; i++)
        quick();
    around();
    slow();
    puts("slept");
    return 0;
}
