/* Threads have their names, however they got them, and their own roots. Row A33.
 * BUILD: gcc -O0
 * BUILD: clang -O2
 * CALLS: work 3
 * THREADS: named-by-main named-by-self
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

__attribute__((noinline)) static void work(void) {
    __asm__ volatile("");
}

static void *waits_for_its_name(void *barrier) {
    pthread_barrier_wait(barrier);
    work();
    return NULL;
}

static void *names_itself(void *unused) {
    prctl(PR_SET_NAME, "named-by-self");
    work();
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&first, NULL, waits_for_its_name, &barrier);
    pthread_setname_np(first, "named-by-main");
    pthread_barrier_wait(&barrier);
    pthread_join(first, NULL);
    pthread_create(&second, NULL, names_itself, NULL);
    pthread_join(second, NULL);
    work();
    puts("joined");
    return 0;
}
