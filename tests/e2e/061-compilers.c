/* longjmp out of 1000 calls with alloca and inlined functions in them, plain recursion beside it. Prints what it
 * called: "NAME COUNT" lines, then "unwound COUNT". */
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>

enum { ROUNDS = 300, DEPTH = 1000 };

static jmp_buf back;
static volatile long sum;
static long counts[6];

static inline __attribute__((always_inline)) int inlined_leaf(int n) {
    counts[0]++;
    return n + 1;
}

static inline __attribute__((always_inline)) int inlined_pair(int n) {
    counts[1]++;
    return inlined_leaf(n) + inlined_leaf(n + 1);
}

static inline __attribute__((always_inline)) void inlined_jump(int value) {
    counts[2]++;
    longjmp(back, value);
}

__attribute__((noinline)) static int descend(int depth) {
    counts[3]++;
    char *space = alloca((size_t)(16 + depth % 96));
    space[0] = (char)depth;
    sum += inlined_pair(space[0]);
    if (depth == 1)
        inlined_jump(1);
    return descend(depth - 1) + space[0];
}

/* A frame that is larger than those of descend, so that its own lies across several of the dead. */
__attribute__((noinline)) static int after(int n) {
    volatile char large[400];
    counts[4]++;
    large[n % 400] = 1;
    return inlined_pair(large[n % 400]);
}

static int fibonacci(int n) {
    counts[5]++;
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void) {
    static const char *const names[] = {"inlined_leaf", "inlined_pair", "inlined_jump",
                                        "descend",      "after",        "fibonacci"};
    for (volatile int round = 0; round < ROUNDS; round++) {
        if (setjmp(back) == 0)
            descend(DEPTH);
        sum += after(round);
        sum += fibonacci(8);
    }
    for (int i = 0; i < 6; i++)
        printf("%s %ld\n", names[i], counts[i]);
    printf("unwound %d\n", ROUNDS * (DEPTH + 1));
    return 0;
}
