/*
 * Eight threads call while recording pauses and goes on a thousand times, by signals that come to each of them in turn.
 * What they call when a pause has begun, and before it ends, is not there; what they call outside of pauses is, every
 * call.
 * BUILD: gcc -O1
 * ENV: TRACE_SIGNAL=URG
 * ENV: TRACE_FORMAT=none
 * CALLS: unseen 0
 * CALLS: seen 40000
 * CALLS: outer 8
 * INFO: lost: 0 events
 * INFO: damaged: 0
 * INFO: misnested: 0
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

enum { THREADS = 8, PAUSES = 500, CALLS = 10 };

static atomic_int phase; /* odd: recording is paused */
static atomic_int in_phase[THREADS];

__attribute__((noinline)) static void seen(void) {
    __asm__("");
}

__attribute__((noinline)) static void unseen(void) {
    __asm__("");
}

/* By a signal that is delivered before it returns. */
__attribute__((no_instrument_function)) static void toggle(int next) {
    raise(SIGURG);
    phase = next;
}

__attribute__((noinline)) static void outer(int number) {
    for (int at = 1; at <= 2 * PAUSES; at++) {
        while (phase < at)
            sched_yield();
        for (int i = 0; i < CALLS; i++)
            at % 2 ? unseen() : seen();
        in_phase[number] = at;
        for (int i = 0; i < THREADS && at % THREADS == number; i++)
            while (in_phase[i] < at)
                sched_yield();
        if (at % THREADS == number && at < 2 * PAUSES)
            toggle(at + 1);
    }
}

static void *run(void *number) {
    outer((int)(long)number);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    toggle(1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
