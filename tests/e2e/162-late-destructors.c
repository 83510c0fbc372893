/* Destructors of thread-specific data that record after every other, up to the last round that libc makes: the calls
 * are their thread's.
 * BUILD: gcc -O1
 * CALLS: leaf 800
 * PARENT: leaf < destroy
 * INFO: threads: 21
 * INFO: lost: 0 events
 * INFO: misnested: 0
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

enum { KEYS = 10, THREADS = 20 };

static pthread_key_t keys[KEYS];

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

static void destroy(void *slot) {
    pthread_key_t *key = slot;
    leaf();
    pthread_setspecific(*key, slot);
}

static void *body(void *unused) {
    for (int i = 0; i < KEYS; i++)
        pthread_setspecific(keys[i], &keys[i]);
    return unused;
}

int main(void) {
    for (int i = 0; i < KEYS; i++)
        if (pthread_key_create(&keys[i], destroy) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, body, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    printf("%d rounds\n", PTHREAD_DESTRUCTOR_ITERATIONS);
    return 0;
}
