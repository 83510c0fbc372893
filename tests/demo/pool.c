#define _GNU_SOURCE
#include "demo.h"

#include <pthread.h>

enum { THREADS = 2 };

struct pool {
    pthread_mutex_t lock;
    pool_job *job;
    char *arguments;
    size_t count;
    size_t size;
    size_t next;
};

static void *take_job(struct pool *pool) {
    void *argument = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->next < pool->count)
        argument = pool->arguments + pool->size * pool->next++;
    pthread_mutex_unlock(&pool->lock);
    return argument;
}

static void *worker(void *pool_pointer) {
    struct pool *pool = pool_pointer;
    void *argument;
    while ((argument = take_job(pool)) != NULL)
        pool->job(argument);
    return NULL;
}

int pool_run(pool_job *job, void *arguments, size_t count, size_t size) {
    struct pool pool = {PTHREAD_MUTEX_INITIALIZER, job, arguments, count, size, 0};
    pthread_t threads[THREADS];
    static const char *const names[THREADS] = {"worker-1", "worker-2"};
    int started = 0;
    while (started < THREADS && pthread_create(&threads[started], NULL, worker, &pool) == 0) {
        pthread_setname_np(threads[started], names[started]);
        started++;
    }
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return started > 0 ? 0 : -1;
}
