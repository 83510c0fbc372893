/* Runs until there is a file "go"; then calls inner twice. 141-shared-output.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) int inner(int n) {
    return n * n;
}

int main(int argc, char **argv) {
    int sum = 0, count = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 2000 && access("go", F_OK) != 0; i++)
        usleep(10000);
    for (int i = 0; i < count; i++)
        sum += inner(i);
    printf("sum %d\n", sum);
    return 0;
}
