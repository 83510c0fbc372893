/* Threads that sleep in open calls while others go through the ring several times: what they have open, their names and
 * what they do later is there.
 * BUILD: gcc -O1
 * ENV: TRACE_MAX_SIZE=2M
 * CALLS: sleeper_outer 3
 * CALLS: sleeper_inner 3
 * CALLS: sleeper_last 3
 * PARENT: sleeper_inner < sleeper_outer
 * PARENT: sleeper_last < sleeper_inner
 * THREADS: sleeper-0 sleeper-1 sleeper-2
 * INFO: misnested: 0
 * INFO: damaged: 0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { SLEEPERS = 3, CALLS = 1200000 };

static sem_t asleep, wake;

__attribute__((noinline)) static void sleeper_last(int n) {
    __asm__ volatile("" : : "r"(n));
}

__attribute__((noinline)) static void sleeper_inner(int n) {
    sem_post(&asleep);
    while (sem_wait(&wake))
        ;
    sleeper_last(n);
    __asm__ volatile("");
}

__attribute__((noinline)) static void sleeper_outer(int n) {
    sleeper_inner(n);
    __asm__ volatile("");
}

__attribute__((no_instrument_function)) static void *sleeper(void *number) {
    char name[16];
    snprintf(name, sizeof name, "sleeper-%d", (int)(long)number);
    pthread_setname_np(pthread_self(), name);
    sleeper_outer((int)(long)number);
    return NULL;
}

__attribute__((noinline)) static int step(int n) {
    return n + 1;
}

__attribute__((no_instrument_function)) static void *busy(void *unused) {
    int n = 0;
    for (int i = 0; i < CALLS / 2; i++)
        n = step(n);
    return unused;
}

__attribute__((no_instrument_function)) int main(void) {
    pthread_t sleepers[SLEEPERS], thread;
    sem_init(&asleep, 0, 0);
    sem_init(&wake, 0, 0);
    for (long i = 0; i < SLEEPERS; i++) {
        pthread_create(&sleepers[i], NULL, sleeper, (void *)i);
        sem_wait(&asleep);
    }
    pthread_create(&thread, NULL, busy, NULL);
    busy(NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < SLEEPERS; i++)
        sem_post(&wake);
    for (int i = 0; i < SLEEPERS; i++)
        pthread_join(sleepers[i], NULL);
    puts("done");
    return 0;
}
