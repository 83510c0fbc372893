/* A program that steps through itself by the trap flag, its handler instrumented: the kernel ends a process that blocks
 * a signal which it forces. What the handler calls in the middle of the recorder's work is not seen, but counted.
 * BUILD: gcc -O1
 * MACHINE: x86_64
 * CALLS: leaf 200
 * PARENT: leaf < middle
 * INFO: misnested: 0
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { ROUNDS = 50 };

static volatile unsigned steps;

__attribute__((noinline)) static void step(void) {
    steps++;
}

static void on_trap(int signal) {
    step();
}

__attribute__((noinline)) static int leaf(int value) {
    return value + 1;
}

__attribute__((noinline)) static int middle(int value) {
    return leaf(value) + leaf(value + 1);
}

/* Its first event, which makes the thread's recorder, is stepped through too. */
__attribute__((no_instrument_function)) static void *stepping(void *unused) {
    long sum = 0;
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
    for (int i = 0; i < ROUNDS; i++)
        sum += middle(i);
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
    return (void *)sum;
}

__attribute__((no_instrument_function)) int main(void) {
    pthread_t thread;
    void *sum;
    signal(SIGTRAP, on_trap);
    pthread_create(&thread, NULL, stepping, NULL);
    pthread_join(thread, &sum);
    printf("%ld, %ld\n", (long)stepping(NULL), (long)sum);
    printf("%s\n", steps > 20 * ROUNDS ? "many steps" : "few steps");
    return 0;
}
