/* 20 000 threads of three calls each: none is lost, and they share windows. Row A39.
 * BUILD: gcc -O1
 * CALLS: thread_main 20000
 * CALLS: step 40000
 * PARENT: step < thread_main
 * USED-MEBIBYTES: 64
 * INFO: unfinished: 0
 * NOT-EMULATED: 20 000 threads take the emulator minutes
 */
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 2500, AT_ONCE = 8 };

__attribute__((noinline)) static void step(void) {
    __asm__ volatile("");
}

static void *thread_main(void *count) {
    step();
    step();
    __atomic_add_fetch((int *)count, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void) {
    int count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            if (pthread_create(&threads[i], NULL, thread_main, &count) != 0)
                return 1;
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%d threads\n", count);
    return 0;
}
