/* Mutexes whose holder has died, and semaphores in threads that are to be cancelled, answer as without us though
 * they are tried first.
 * BUILD: gcc -O1 -fno-instrument-functions
 * NOT-EMULATED: the emulator knows no robust mutexes
 * ENV: TRACE_HOOKS=sync
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t robust, inheriting;
static sem_t semaphore;

static void say(const char *what, int result) {
    printf("%s: %s\n", what, result ? strerrorname_np(result) : "0");
}

static void make(pthread_mutex_t *made, int protocol) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutex_init(made, &attributes);
}

static void *die(void *mutex) {
    pthread_mutex_lock(mutex);
    return NULL;
}

static void use(pthread_mutex_t *mutex) {
    struct timespec past = {.tv_sec = 1};
    for (int consistent = 1; consistent >= 0; consistent--) {
        pthread_t thread;
        pthread_create(&thread, NULL, die, mutex);
        pthread_join(thread, NULL);
        say("holder died", pthread_mutex_lock(mutex));
        if (consistent)
            say("made consistent", pthread_mutex_consistent(mutex));
        say("unlocked", pthread_mutex_unlock(mutex));
    }
    say("not recoverable", pthread_mutex_lock(mutex));
    say("not recoverable", pthread_mutex_timedlock(mutex, &past));
    say("not recoverable", pthread_mutex_lock(mutex));
}

/* The semaphore is free: sem_wait is a cancellation point all the same, and takes nothing when it acts. */
static void *wait_cancelled(void *unused) {
    pthread_cancel(pthread_self());
    sem_wait(&semaphore);
    printf("not reached\n");
    return unused;
}

static void *wait_disabled(void *unused) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
    say("disabled", sem_wait(&semaphore));
    return unused;
}

static void run(void *(*function)(void *)) {
    pthread_t thread;
    void *result;
    int value;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, &result);
    sem_getvalue(&semaphore, &value);
    printf("cancelled %d, semaphore %d\n", result == PTHREAD_CANCELED, value);
}

int main(void) {
    alarm(20);
    make(&robust, PTHREAD_PRIO_NONE);
    make(&inheriting, PTHREAD_PRIO_INHERIT);
    sem_init(&semaphore, 0, 2);
    run(wait_cancelled);
    run(wait_disabled);
    run(wait_cancelled);
    use(&robust);
    use(&inheriting);
    return 0;
}
