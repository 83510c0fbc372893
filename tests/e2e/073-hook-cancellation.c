/* Threads that end inside hooked calls: cancelled while they wait and while they compute, by pthread_exit in a
 * callback; and a longjmp over hooked calls. Clean-up runs, what the call was told comes back, the next call nests
 * right.
 * LIBRARY: libcall.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -fexceptions
 * BUILD: gcc -O2 -fno-instrument-functions -fno-plt -Wl,-z,now
 * BUILD: gcc -O2 -fno-instrument-functions -no-pie -fno-pie
 * ENV: TRACE_HOOKS=library_*,io,sync,time
 * CALLS: library_call 35
 * CALLS: library_spin 6
 * CALLS: library_next 4
 * CALLS: usleep 4
 * PARENT: library_next < -
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void library_call(void (*callback)(void *), void *argument);
void library_spin(volatile int *started);
void library_next(void);

#ifdef LIBRARY
void library_call(void (*callback)(void *), void *argument) {
    callback(argument);
}
void library_spin(volatile int *started) {
    *started = 1;
    for (volatile unsigned long n = 0;; n++)
        ;
}
void library_next(void) {
    usleep(0);
}
#else
static volatile int started, cleaned, done;
static int channel[2];
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static jmp_buf back;

static void clean(void *what) {
    cleaned += *(int *)what;
}

static void in_read(void *unused) {
    char byte;
    started = 1;
    done += (int)read(channel[0], &byte, 1) + (unused != NULL);
}
static void in_semaphore(void *unused) {
    started = 1;
    done += sem_wait(&semaphore) + (unused != NULL);
}
static void unlock(void *what) {
    pthread_mutex_unlock(what);
}
static void in_condition(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    started = 1;
    pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
    done += unused != NULL;
}
static void in_sleep(void *unused) {
    started = 1;
    nanosleep(&(struct timespec){.tv_sec = 60}, NULL);
    done += unused != NULL;
}
static void in_spin(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    library_spin(&started);
    done += unused != NULL;
}
static void in_exit(void *unused) {
    pthread_exit(unused);
}

static void nested(void *callback) {
    int one = 1;
    pthread_cleanup_push(clean, &one);
    library_call((void (*)(void *))callback, NULL);
    pthread_cleanup_pop(0);
}

static void *run(void *callback) {
    library_call(nested, callback);
    done = 1000;
    return NULL;
}

static void end_in(const char *what, void (*callback)(void *), int cancel) {
    pthread_t thread;
    void *result;
    cleaned = done = started = 0;
    pthread_create(&thread, NULL, run, (void *)callback);
    while (cancel && !started)
        sched_yield();
    if (cancel)
        pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%s: %s, cleaned %d, done %d\n", what, result == PTHREAD_CANCELED ? "cancelled" : "ended", cleaned, done);
}

static void jump(void *value) {
    longjmp(back, *(int *)value);
}

int main(void) {
    if (pipe(channel) || sem_init(&semaphore, 0, 0))
        return 1;
    for (int i = 0; i < 2; i++) {
        end_in("read", in_read, 1);
        end_in("semaphore", in_semaphore, 1);
        end_in("condition", in_condition, 1);
        end_in("sleep", in_sleep, 1);
        end_in("exit", in_exit, 0);
    }
    for (int i = 0; i < 6; i++)
        end_in("spin", in_spin, 1);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    for (volatile int i = 1; i < 4; i++) {
        int value = i;
        int got = setjmp(back);
        if (got == 0)
            library_call(jump, &value);
        printf("jumped %d\n", got);
        library_next();
    }
    pthread_mutex_destroy(&held);
    library_next();
    return 0;
}
#endif
