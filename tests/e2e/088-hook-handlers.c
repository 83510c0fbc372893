/* Hooked calls in signal handlers, which interrupt hooked calls anywhere: they nest in those, and none is lost.
 * LIBRARY: libhandled.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * ENV: TRACE_HOOKS=handled_fast,handled_path(path:path n:int)=int|-1,handled_inner,read,pause
 * CALLS: handled_fast 300000
 * CALLS: handled_path 100001
 * CALLS: handled_inner 2000
 * CALLS: read 1
 * CALLS: pause 1
 * INFO: unfinished: 0
 * INFO: misnested: 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

int handled_fast(int n);
int handled_path(const char *path, int n);
int handled_inner(void);

#ifdef LIBRARY
int handled_fast(int n) {
    return n + 1;
}
int handled_path(const char *path, int n) {
    errno = EXDEV;
    return path[n] ? n : -1;
}
int handled_inner(void) {
    return 1;
}
#else
static volatile sig_atomic_t inner, working = 1;

static void on_signal(int number) {
    (void)number;
    for (int i = 0; i < 20 && inner < 2000; i++)
        inner += handled_inner();
}

static void *send(void *main_thread) {
    while (working) {
        pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
        usleep(200);
    }
    return NULL;
}

static void wake(int number) {
    (void)number;
    handled_path("x", 0);
}

int main(void) {
    pthread_t self = pthread_self(), sender;
    int ends[2];
    char byte;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&sender, NULL, send, &self);
    long sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += handled_fast(i) + handled_path("/a/path", i & 7) + handled_fast(i) + handled_fast(1);
    while (inner < 2000)
        ;
    working = 0;
    pthread_join(sender, NULL);
    if (pipe(ends) == 0)
        close(ends[1]);
    sum += read(ends[0], &byte, 1);
    signal(SIGALRM, wake);
    ualarm(20000, 0);
    pause();
    printf("sum %ld, inner %d\n", sum, (int)inner);
    return 0;
}
#endif
