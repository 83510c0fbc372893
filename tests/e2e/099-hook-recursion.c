/* Calls of unknown functions cost little more stack than their arguments may take: a recursion through them goes deep
 * on an ordinary stack. Callers of every shape pass their arguments on the stack, all of them.
 * LIBRARY: libdeep.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O0 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie -fno-plt
 * ENV: TRACE_HOOKS=deep_*
 * CALLS: deep_call 12000
 * CALLS: deep_sum 240
 * INFO: unfinished: 0
 */
#include <alloca.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef long function(long n);
struct wide {
    long words[40];
};
long deep_call(function *called, long n);
long deep_sum(long a, long b, long c, long d, long e, long f, long g, long h, long i, struct wide wide, long last);

#ifdef LIBRARY
long deep_call(function *called, long n) {
    return called(n) + 1;
}
long deep_sum(long a, long b, long c, long d, long e, long f, long g, long h, long i, struct wide wide, long last) {
    for (int at = 0; at < 40; at++)
        a += wide.words[at] * at;
    return a + b + c + d + e + f + g + 10 * h + 100 * i + 1000 * last;
}
#else
#define NOINLINE __attribute__((noinline))

NOINLINE static long down(long n) {
    return n ? deep_call(down, n - 1) : 0;
}

static struct wide wide_of(long n) {
    struct wide wide;
    for (int at = 0; at < 40; at++)
        wide.words[at] = n + at;
    return wide;
}

NOINLINE static long plain(long n) {
    return deep_sum(n, 1, 2, 3, 4, 5, 6, 7, 8, wide_of(n), 9);
}

NOINLINE static long with_alloca(long n) {
    char *place = alloca((size_t)n * 16 + 1);
    memset(place, 1, (size_t)n * 16 + 1);
    return deep_sum(place[n], 1, 2, 3, 4, 5, 6, 7, 8, wide_of(n), 9) + place[0];
}

NOINLINE static long aligned(long n) {
    _Alignas(64) char place[128];
    memset(place, (int)n, sizeof place);
    long sum = deep_sum(place[3], 1, 2, 3, 4, 5, 6, 7, 8, wide_of(n), (long)((unsigned long)place % 64));
    return sum + place[127];
}

NOINLINE static long large(long n) {
    volatile char place[5000];
    place[n] = (char)n;
    return deep_sum(place[n], 1, 2, 3, 4, 5, 6, 7, 8, wide_of(n), 9) + place[n];
}

/* Jumps: the arguments lie in the frame of its caller. */
NOINLINE static long passed_on(long a, long b, long c, long d, long e, long f, long g, long h, long i, struct wide wide,
                               long last) {
    return deep_sum(a + 1, b, c, d, e, f, g, h, i, wide, last);
}

static void *run(void *out) {
    long sum = 0;
    for (long n = 1; n <= 24; n++) {
        sum += plain(n) + with_alloca(n) + aligned(n) + large(n);
        sum += passed_on(n, 1, 2, 3, 4, 5, 6, 7, 8, wide_of(n), 9);
    }
    *(long *)out = sum;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    long sum = 0, of_thread = 0;
    run(&sum);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 3 << 20);
    pthread_create(&thread, &attributes, run, &of_thread);
    pthread_join(thread, NULL);
    printf("%ld %ld\n", sum, of_thread);
    pthread_create(&thread, &attributes, (void *(*)(void *))down, (void *)12000);
    void *depth;
    pthread_join(thread, &depth);
    printf("%ld\n", (long)depth);
    return 0;
}
#endif
