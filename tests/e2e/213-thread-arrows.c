/* See 213-thread-arrows.sh. Prints what must be the same untraced. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define CALLED __attribute__((noinline))
enum { SHORT = 200, AT_ONCE = 20 };

struct job {
    pthread_t self;
    int frames;
};

CALLED static void step(void) {
    __asm__ volatile("");
}

/* Its job goes away while it is made: nobody may look at it afterwards. */
static void *frees_its_job(void *argument) {
    struct job *job = argument;
    if (!pthread_equal(job->self, pthread_self()))
        puts("a thread starts before its handle is there");
    step();
    munmap(job, 4096);
    return NULL;
}

static void *counts_frames(void *argument) {
    void *frames[64];
    ((struct job *)argument)->frames = backtrace(frames, 64);
    step();
    return argument;
}

static int of_c(void *argument) {
    step();
    return (int)(intptr_t)argument;
}

static void *is_cancelled(void *unused) {
    step();
    for (;;)
        pause();
    return unused;
}

static void *makes_another(void *depth) {
    pthread_t thread;
    step();
    if (depth && pthread_create(&thread, NULL, makes_another, (char *)depth - 1) == 0)
        pthread_join(thread, NULL);
    return NULL;
}

CALLED static void jobs(void) {
    for (int i = 0; i < 50; i++) {
        struct job *job = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 16384);
        if (pthread_create(&job->self, &attributes, frees_its_job, job) != 0)
            puts("not made");
        pthread_attr_destroy(&attributes);
    }
    usleep(20000);
}

CALLED static void refused(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 50);
    for (int i = 0; i < 300; i++) /* more than are in use at any time: what they took is given back */
        if (pthread_create(&thread, &attributes, counts_frames, NULL) != EAGAIN)
            puts("made a thread of a pebibyte");
    pthread_attr_destroy(&attributes);
}

CALLED static void short_ones(void) {
    pthread_t threads[AT_ONCE];
    for (int round = 0; round < SHORT / AT_ONCE; round++) {
        for (int i = 0; i < AT_ONCE; i++)
            if (pthread_create(&threads[i], NULL, makes_another, NULL) != 0)
                puts("not made");
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(threads[i], NULL);
    }
}

static int cloned(void *unused) {
    (void)unused;
    return 0;
}

CALLED static void by_clone(void) {
    static char stack[65536];
    pid_t child = clone(cloned, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
    waitpid(child, NULL, 0);
}

static void *forks(void *unused) {
    step();
    pid_t child = fork();
    if (child == 0) {
        step();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return unused;
}

int main(void) {
    struct job job;
    pthread_t thread;
    thrd_t other;
    int result = 0;
    void *ended;
    jobs();
    refused();
    pthread_create(&thread, NULL, counts_frames, &job);
    pthread_join(thread, NULL);
    printf("%d frames\n", job.frames);
    thrd_create(&other, of_c, (void *)-7);
    thrd_join(other, &result);
    printf("result %d\n", result);
    pthread_create(&thread, NULL, is_cancelled, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &ended);
    printf("%s\n", ended == PTHREAD_CANCELED ? "cancelled" : "ended");
    pthread_create(&thread, NULL, makes_another, (void *)3);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, forks, NULL);
    pthread_join(thread, NULL);
    by_clone();
    short_ones();
    return 0;
}
