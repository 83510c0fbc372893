/* exec [N]: runs itself again N times by exec, then ends with status 5. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void again(char *program, int left) {
    char number[12];
    snprintf(number, sizeof number, "%d", left);
    execl("/nonexistent", "x", (char *)NULL);
    leaf();
    execl(program, program, number, (char *)NULL);
}

int main(int argc, char **argv) {
    int left = argc > 1 ? atoi(argv[1]) : 0;
    printf("image %d, pid %s\n", left, getpid() > 1 ? "same" : "?");
    fflush(stdout);
    if (left > 0)
        again(argv[0], left - 1);
    return 5;
}
