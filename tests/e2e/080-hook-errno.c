/* errno is as without us before, in and after hooked calls of every kind: known, unknown, failing, with texts and with
 * descriptors, tried first, entry-only, first of a thread, in a handler, first after fork.
 * LIBRARY: libkeep.so
 * BUILD: gcc -O1 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -fno-plt -Wl,-z,now
 * ENV: TRACE_HOOKS=*,locks,keep_typed(path:path fd:fd when:timespec)=fd
 * CALLS: keep_errno 11
 * CALLS: keep_typed 2
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int keep_errno(int n);
int keep_set(int n);
int keep_typed(const char *path, int fd, const struct timespec *when);

#ifdef LIBRARY
/* What errno was when it was called; it leaves it alone. */
int keep_errno(int n) {
    return errno == n;
}
int keep_set(int n) {
    errno = n;
    return n;
}
int keep_typed(const char *path, int fd, const struct timespec *when) {
    return errno * 10 + fd + (path == NULL) + (when == NULL);
}
#else
static int wrong;

static void check(const char *what, int wanted) {
    if (errno != wanted) {
        printf("%s: errno %d, not %d\n", what, errno, wanted);
        wrong++;
    }
}

static void on_signal(int number) {
    errno = 1000 + number;
    if (!keep_errno(1000 + number))
        wrong++;
    check("in a handler", 1000 + number);
    errno = 77;
}

static void *run(void *unused) {
    errno = 78;
    if (!keep_errno(78))
        wrong++;
    check("first of a thread", 78);
    getppid();
    check("in a thread", 78);
    return unused;
}

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    sem_t semaphore;
    pthread_t thread;
    sem_init(&semaphore, 0, 3);

    for (int i = 0; i < 4; i++) {
        errno = 70 + i;
        if (!keep_errno(70 + i))
            wrong++;
        check("unknown", 70 + i);
    }
    keep_set(33);
    check("set by the call", 33);
    errno = 71;
    printf("typed %d\n", keep_typed("/a/path", 1, NULL));
    check("typed", 71);
    printf("typed %d\n", keep_typed((char *)1, 4000, (struct timespec *)1));
    check("typed, bad pointers", 71);

    close(open("/dev/null", O_RDONLY));
    check("open and close", 71);
    close(-1);
    check("failing close", EBADF);
    open("/nowhere/at all", O_RDONLY);
    check("failing open", ENOENT);
    errno = 72;
    pthread_mutex_lock(&mutex);
    check("lock", 72);
    pthread_mutex_trylock(&mutex);
    check("failing try", 72);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    check("rwlock", 72);
    sem_wait(&semaphore);
    sem_trywait(&semaphore);
    sem_trywait(&semaphore);
    check("semaphore", 72);
    sem_trywait(&semaphore);
    check("failing semaphore", EAGAIN);
    errno = 73;
    free(malloc(100));
    check("malloc", 73);
    dlsym(RTLD_DEFAULT, "getppid");
    check("dlsym", 73);

    signal(SIGUSR1, on_signal);
    errno = 74;
    raise(SIGUSR1);
    check("after a handler", 77);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    errno = 75;
    pid_t child = fork();
    if (child == 0) {
        errno = 76;
        int first = keep_errno(76);
        check("first after fork", 76);
        _exit(first && !wrong ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    check("fork and wait", 75);
    for (int i = 0; i < 4; i++) {
        errno = i;
        if (!keep_errno(i))
            wrong++;
    }
    printf("child %d, wrong %d\n", status, wrong);
    return wrong;
}
#endif
