/* Ends in the way that it is told to, from inside nested calls. 082-hook-exits.sh runs it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *kind;

static void at_end(void) {
    if (write(STDOUT_FILENO, "at end\n", 7) != 7)
        _exit(9);
}

static int is(const char *what) {
    return strcmp(kind, what) == 0;
}

static void *in_thread(void *unused) {
    if (is("thread"))
        exit(6);
    pthread_exit(unused);
}

int main(int count, char **arguments) {
    pthread_t thread;
    kind = count > 1 ? arguments[1] : "";
    atexit(at_end);
    printf("buffered\n");
    if (is("exit"))
        exit(3);
    if (is("_exit"))
        _exit(4);
    if (is("quick_exit"))
        quick_exit(5);
    if (is("abort"))
        abort();
    if (is("raise"))
        raise(SIGTERM);
    if (is("exec"))
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
    if (is("failed_exec"))
        return execl("/nowhere", "nowhere", (char *)NULL) + 10;
    if (is("thread") || is("pthread_exit")) {
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
        pthread_exit(NULL);
    }
    return 0;
}
