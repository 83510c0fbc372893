/*
 * For 186-lines-processes.sh: threads at once and one after the other, forked children, a signal handler in the middle
 * of blocks, a child that is killed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, SHORT_THREADS = 200, ROUNDS = 100000 };

static volatile unsigned long handled, rounds[THREADS];

static void counted(int thread) {
    rounds[thread]++; /* LINE counted */
}

static void handler(int signal) {
    (void)signal;
    handled++; /* LINE handler */
}

static void *work(void *number) {
    for (int i = 0; i < ROUNDS; i++)
        counted((int)(long)number);
    return NULL;
}

static void *work_shortly(void *unused) {
    (void)unused;
    return NULL; /* LINE short */
}

static int work_in_child(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i; /* LINE child */
    return sum;
}

static void threads(void) {
    pthread_t thread[THREADS], other;
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    signal(SIGPROF, handler);
    setitimer(ITIMER_PROF, &often, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    for (int i = 0; i < SHORT_THREADS; i++)
        if (pthread_create(&other, NULL, work_shortly, NULL) == 0)
            pthread_join(other, NULL);
}

static void child(int n, int killed) {
    pid_t pid = fork();
    if (pid == 0) {
        work_in_child(n);
        if (killed)
            kill(getpid(), SIGKILL);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "kill")) {
        work(NULL);
        kill(getpid(), SIGKILL);
    }
    threads();
    for (int i = 1; i <= 10; i++)
        child(i, i % 2);
    work_in_child(1000);
    fprintf(stderr, "%lu\n", handled);
    return 0;
}
