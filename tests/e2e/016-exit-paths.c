/* exit-paths KIND: calls leaf ten times, then ends in the way that is named. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

static void *exit_from_thread(void *unused) {
    (void)unused;
    exit(9);
}

__attribute__((noinline)) static void end(const char *kind) {
    pthread_t thread;
    if (strcmp(kind, "exit") == 0)
        exit(3);
    if (strcmp(kind, "_exit") == 0)
        _exit(4);
    if (strcmp(kind, "_Exit") == 0)
        _Exit(5);
    if (strcmp(kind, "quick_exit") == 0)
        quick_exit(6);
    if (strcmp(kind, "abort") == 0)
        abort();
    if (strcmp(kind, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(kind, "segv") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(kind, "term") == 0)
        raise(SIGTERM);
    if (strcmp(kind, "syscall") == 0)
        syscall(SYS_exit_group, 7);
    if (strcmp(kind, "thread") == 0) {
        pthread_create(&thread, NULL, exit_from_thread, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(kind, "pthread_exit") == 0)
        pthread_exit(NULL);
}

int main(int argc, char **argv) {
    (void)argc;
    for (int i = 0; i < 10; i++)
        leaf();
    puts("ten");
    fflush(stdout);
    end(argv[1]);
    return 1;
}
