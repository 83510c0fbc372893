/* What levels 0 to 3 record of it, 198-levels.sh compares. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static jmp_buf back;

__attribute__((noinline)) static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) static void leave(void) {
    longjmp(back, 1);
}

static void on_signal(int number) {
    (void)number;
    getppid();
}

int main(void) {
    int numbers[] = {3, 1, 2};
    signal(SIGUSR1, on_signal);
    qsort(numbers, 3, sizeof *numbers, compare);
    raise(SIGUSR1);
    if (setjmp(back) == 0)
        leave();
    puts("end");
    return close(-1) == 0;
}
