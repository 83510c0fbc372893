/* longjmp out of 1000 calls, again and again: each is closed as unwound and the next call has the right parent.
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * BUILD: clang -O0
 * BUILD: clang -O2
 * CALLS: descend 200000
 * CALLS: attempt 200
 * CALLS: after 200
 * PARENT: after < main
 * PARENT: attempt < main
 * INFO: unwound: 200000
 * INFO: unfinished: 0
 */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

__attribute__((noinline)) static int descend(int depth) {
    if (depth == 1)
        longjmp(back, 1);
    return descend(depth - 1) + 1;
}

__attribute__((noinline)) static int attempt(void) {
    if (setjmp(back) == 0)
        return descend(1000);
    return 1;
}

__attribute__((noinline)) static void after(void) {
    __asm__ volatile("");
}

int main(void) {
    int jumps = 0;
    for (int i = 0; i < 200; i++) {
        jumps += attempt();
        after();
    }
    printf("%d jumps\n", jumps);
    return 0;
}
