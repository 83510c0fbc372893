/* 100 000 calls deep: no limit of depth, and the program keeps its stack to itself.
 * BUILD: gcc -O0
 * BUILD: clang -O1
 * CALLS: descend 300000
 * INFO: unwound: 0
 * INFO: unfinished: 0
 */
#include <stdio.h>

__attribute__((noinline)) static long descend(long depth) {
    return depth == 1 ? 1 : 1 + descend(depth - 1);
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 3; i++)
        sum += descend(100000);
    printf("%ld\n", sum);
    return sum != 300000;
}
