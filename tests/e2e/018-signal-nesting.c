/* A handler's calls nest in the call that it interrupted, a handler in a handler too.
 * BUILD: gcc -O0
 * BUILD: clang -O2
 * TREE:
 * └── main (dur) {app}
 *     ├── interrupted (dur) {app}
 *     │   └── on_first (dur) {app}
 *     │       └── on_second (dur) {app}
 *     │           └── leaf (dur) {app}
 *     └── leaf (dur) {app}
 */
#include <signal.h>
#include <stdio.h>

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

static void on_second(int number) {
    (void)number;
    leaf();
}

static void on_first(int number) {
    (void)number;
    raise(SIGUSR2);
}

__attribute__((noinline)) static void interrupted(void) {
    raise(SIGUSR1);
}

int main(void) {
    signal(SIGUSR1, on_first);
    signal(SIGUSR2, on_second);
    interrupted();
    leaf();
    puts("back");
    return 0;
}
