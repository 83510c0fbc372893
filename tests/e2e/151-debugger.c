/* Something for a debugger: a break inside a library's call that calls back, a child. With an argument it waits first
 * for the end of its input. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int calls;

__attribute__((noinline)) void stopped_in(int n) {
    calls += n;
}

__attribute__((noinline)) static int compare(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    if (++calls == 5)
        stopped_in(0);
    return a - b;
}

int main(int count, char **arguments) {
    int numbers[20], status = -1;
    char byte;
    if (count > 1) {
        puts("waiting");
        fflush(stdout);
        while (read(0, &byte, 1) > 0)
            ;
    }
    for (int i = 0; i < 20; i++)
        numbers[i] = i * 7 % 20;
    qsort(numbers, 20, sizeof *numbers, compare);
    printf("compared %d\n", calls);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(4);
    waitpid(child, &status, 0);
    printf("child %x\n", status);
    return 3;
}
