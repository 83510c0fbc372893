/* Only waits are calls: a lock that is free is not recorded, whatever its kind; one that is held is, with its
 * wait. What a lock answers is as without us.
 * BUILD: gcc -O1 -fno-instrument-functions
 * BUILD: gcc -O2 -fno-instrument-functions -fno-plt
 * ENV: TRACE_HOOKS=sync
 * CALLS: pthread_barrier_wait 2
 * CALLS: sem_wait 1
 * CALLS: pthread_rwlock_rdlock 1
 * CALLS: pthread_rwlock_timedwrlock 1
 * CALLS: pthread_rwlock_wrlock 0
 * CALLS: pthread_mutex_lock 2
 * CALLS: pthread_mutex_timedlock 2
 * CALLS: mtx_lock 0
 * CALLS: pthread_join 1
 * INFO: calls: 10
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void say(const char *what, int result) {
    printf("%s: %s\n", what, result ? strerrorname_np(result) : "0");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checking, recursive;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;

static void make(pthread_mutex_t *made, int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(made, &attributes);
}

static void uncontended(void) {
    struct timespec soon = {.tv_sec = time(NULL) + 100};
    mtx_t plain;
    mtx_init(&plain, mtx_plain);
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        pthread_rwlock_unlock(&lock);
        sem_post(&semaphore);
        sem_wait(&semaphore);
        mtx_lock(&plain);
        mtx_unlock(&plain);
    }
    say("timed, free", pthread_mutex_timedlock(&mutex, &soon));
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 3; i++)
        say("recursive", pthread_mutex_lock(&recursive));
    for (int i = 0; i < 3; i++)
        say("recursive", pthread_mutex_unlock(&recursive));
    say("not ours", pthread_mutex_unlock(&recursive));
}

static void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_barrier_wait(&barrier);
    usleep(20000);
    sem_post(&semaphore);
    usleep(20000);
    pthread_rwlock_unlock(&lock);
    usleep(20000);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {.tv_sec = 1}, never = {.tv_nsec = -1};
    make(&checking, PTHREAD_MUTEX_ERRORCHECK);
    make(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    uncontended();
    pthread_create(&thread, NULL, hold, NULL);
    pthread_barrier_wait(&barrier);
    sem_wait(&semaphore);
    say("reading", pthread_rwlock_rdlock(&lock));
    say("locking", pthread_mutex_lock(&mutex));
    pthread_join(thread, NULL);
    say("timed, held", pthread_mutex_timedlock(&mutex, &past));
    say("timed, wrong time", pthread_mutex_timedlock(&mutex, &never));
    say("checking", pthread_mutex_lock(&checking));
    say("checking", pthread_mutex_lock(&checking));
    say("write over read", pthread_rwlock_timedwrlock(&lock, &past));
    return 0;
}
