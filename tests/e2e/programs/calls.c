/* calls [N [STATUS]]: main calls outer N times (default 1), which calls inner twice. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int inner(int n) {
    return n * 3 + 1;
}

__attribute__((noinline)) static int outer(int n) {
    return inner(n) + inner(n + 1);
}

int main(int argc, char **argv) {
    unsigned sum = 0;
    int count = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < count; i++)
        sum += (unsigned)outer(i);
    printf("sum %u\n", sum);
    return argc > 2 ? atoi(argv[2]) : 0;
}
