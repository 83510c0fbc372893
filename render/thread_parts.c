#include "render/thread_parts.h"

#include "render/memory.h"
#include "render/progress.h"
#include "render/thread_part.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define PART_BYTES ((uint64_t)4 << 20) /* of windows: milliseconds of work */
#define PARTS_LEAST 3                  /* worth a thread */

enum { WORKERS_MOST = 64, AHEAD_OF_JOIN = 4 /* parts for each worker, done or under way */ };

struct ts_thread_parts {
    const struct ts_thread_replay *thread; /* what of it stays as it is: workers read that */
    struct ts_thread_part **parts;
    size_t count;
    size_t taken;  /* by workers */
    size_t joined; /* or given up */
    bool *done;
    bool ended; /* nobody wants the rest */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t workers[WORKERS_MOST];
    size_t worker_count;
};

static size_t processors(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < WORKERS_MOST ? (size_t)count : WORKERS_MOST;
}

/* The next part for a worker; NULL when there are no more. */
static struct ts_thread_part *take(struct ts_thread_parts *parts, size_t *index) {
    struct ts_thread_part *part = NULL;
    pthread_mutex_lock(&parts->lock);
    while (!parts->ended && parts->taken < parts->count &&
           parts->taken >= parts->joined + AHEAD_OF_JOIN * parts->worker_count)
        pthread_cond_wait(&parts->changed, &parts->lock);
    if (!parts->ended && parts->taken < parts->count) {
        *index = parts->taken++;
        part = parts->parts[*index];
    }
    pthread_mutex_unlock(&parts->lock);
    return part;
}

static void *work(void *context) {
    struct ts_thread_parts *parts = context;
    struct ts_part_worker worker = {0};
    struct ts_thread_part *part;
    size_t index;
    while ((part = take(parts, &index))) {
        ts_thread_part_replay(part, &worker, parts->thread);
        pthread_mutex_lock(&parts->lock);
        parts->done[index] = true;
        pthread_cond_broadcast(&parts->changed);
        pthread_mutex_unlock(&parts->lock);
    }
    ts_part_worker_free(&worker);
    return NULL;
}

/* Parts of PART_BYTES. The first such piece is left to the caller, which has something to do meanwhile. */
static void cut_parts(struct ts_thread_parts *parts, const struct ts_window *window, const struct ts_window *end) {
    size_t capacity = 0;
    uint64_t bytes = 0, wanted = parts->thread->replay->session->part_bytes;
    const struct ts_window *first = NULL;
    for (; window < end; window++) {
        if (bytes >= (wanted ? wanted : PART_BYTES)) {
            if (first)
                parts->parts[parts->count - 1]->end = window;
            parts->parts = ts_memory_grow(parts->parts, &capacity, parts->count + 1, sizeof(struct ts_thread_part *));
            struct ts_thread_part *part = parts->parts[parts->count++] = ts_memory_new(1, sizeof *part);
            part->first = first = window;
            part->end = end;
            part->sink_parts = parts->thread->replay->sink.parts;
            bytes = 0;
        }
        bytes += window->bytes;
    }
}

struct ts_thread_parts *ts_thread_parts_start(const struct ts_thread_replay *thread, const struct ts_window *window,
                                              const struct ts_window *end) {
    if (!thread->replay->sink.parts || (uint64_t)(end - window) < PARTS_LEAST)
        return NULL;
    struct ts_thread_parts *parts = ts_memory_new(1, sizeof *parts);
    parts->thread = thread;
    cut_parts(parts, window, end);
    parts->done = ts_memory_new(parts->count, sizeof *parts->done);
    pthread_mutex_init(&parts->lock, NULL);
    pthread_cond_init(&parts->changed, NULL);
    size_t wanted = processors();
    if (wanted < 2 || parts->count < PARTS_LEAST)
        wanted = 0;
    pthread_mutex_lock(&parts->lock); /* worker_count is read under it */
    while (parts->worker_count < wanted && pthread_create(&parts->workers[parts->worker_count], NULL, work, parts) == 0)
        parts->worker_count++;
    pthread_mutex_unlock(&parts->lock);
    if (parts->worker_count)
        return parts;
    ts_thread_parts_end(parts);
    return NULL;
}

int ts_thread_parts_join(struct ts_thread_parts *parts, struct ts_thread_replay *thread,
                         const struct ts_window **window) {
    if (parts->joined == parts->count || parts->parts[parts->joined]->first != *window)
        return 0;
    struct ts_thread_part *part = parts->parts[parts->joined];
    pthread_mutex_lock(&parts->lock);
    while (!parts->done[parts->joined])
        pthread_cond_wait(&parts->changed, &parts->lock);
    pthread_mutex_unlock(&parts->lock);
    int joined = ts_thread_part_join(part, thread);
    if (joined) {
        *window = part->end;
        thread->replay->session->parts_joined++;
        for (const struct ts_window *done = part->first; done < part->end; done++)
            ts_progress_add(thread->replay->session->progress, done->bytes, done->calls);
    }
    ts_thread_part_free(part);
    pthread_mutex_lock(&parts->lock);
    parts->parts[parts->joined++] = NULL;
    pthread_cond_broadcast(&parts->changed);
    pthread_mutex_unlock(&parts->lock);
    return joined;
}

void ts_thread_parts_end(struct ts_thread_parts *parts) {
    if (!parts)
        return;
    pthread_mutex_lock(&parts->lock);
    parts->ended = true;
    pthread_cond_broadcast(&parts->changed);
    pthread_mutex_unlock(&parts->lock);
    for (size_t i = 0; i < parts->worker_count; i++)
        pthread_join(parts->workers[i], NULL);
    for (size_t i = 0; i < parts->count; i++)
        if (parts->parts[i])
            ts_thread_part_free(parts->parts[i]);
    pthread_cond_destroy(&parts->changed);
    pthread_mutex_destroy(&parts->lock);
    free(parts->parts);
    free(parts->done);
    free(parts);
}
