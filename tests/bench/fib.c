/* fib N [THREADS]: each thread computes fib(N). Prints "calls CPU-nanoseconds" of that part alone, all threads added.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int number;
static unsigned long results[64];

static unsigned long fib(unsigned long n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((no_instrument_function)) static void *run(void *result) {
    *(unsigned long *)result = fib((unsigned long)number);
    return NULL;
}

__attribute__((no_instrument_function)) static unsigned long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv) {
    pthread_t threads[64];
    int count = argc > 2 ? atoi(argv[2]) : 1;
    number = argc > 1 ? atoi(argv[1]) : 20;
    if (count > 64)
        return 2;
    unsigned long start = cpu_ns();
    if (count == 1)
        run(&results[0]);
    for (int i = 0; count > 1 && i < count; i++)
        if (pthread_create(&threads[i], NULL, run, &results[i]) != 0)
            return 1;
    for (int i = 0; count > 1 && i < count; i++)
        pthread_join(threads[i], NULL);
    unsigned long used = cpu_ns() - start;
    /* fib(n) = a makes a + fib(n + 1) + ... calls: 2 fib(n + 1) - 1 */
    unsigned long a = 0, b = 1;
    for (int i = 0; i < number; i++) {
        unsigned long next = a + b;
        a = b;
        b = next;
    }
    printf("%lu %lu\n", (2 * b - 1) * (unsigned long)count, used);
    return results[0] != a;
}
