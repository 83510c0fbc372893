/* siglongjmp out of a handler: the interrupted calls are closed, later calls have the right parent.
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * BUILD: clang -O2
 * CALLS: on_signal 1000
 * CALLS: interrupted 1000
 * CALLS: after 1000
 * PARENT: after < main
 * PARENT: interrupted < main
 * INFO: unwound: 2000
 * INFO: unfinished: 0
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;

static void on_signal(int number) {
    (void)number;
    siglongjmp(back, 1);
}

__attribute__((noinline)) static void interrupted(void) {
    raise(SIGUSR1);
    puts("never here");
}

__attribute__((noinline)) static void after(void) {
    __asm__ volatile("");
}

int main(void) {
    volatile int jumps = 0;
    signal(SIGUSR1, on_signal);
    for (volatile int i = 0; i < 1000; i++) {
        if (sigsetjmp(back, 1) == 0)
            interrupted();
        else
            jumps++;
        after();
    }
    printf("%d jumps\n", jumps);
    return 0;
}
