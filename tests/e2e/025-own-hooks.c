/* A program with instrument functions of its own: they stay in use, and ours stay out. */
#include <stdio.h>

static int entries, exits;

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *site) {
    (void)function, (void)site;
    entries++;
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *site) {
    (void)function, (void)site;
    exits++;
}

__attribute__((noinline)) static int work(int n) {
    return n + 1;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += work(i);
    printf("%d, %d entries, %d exits\n", sum, entries, exits);
    return 0;
}
