/* crash-places KIND: crashes where a reporter that allocates, locks or loops would hang. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;

__attribute__((noinline)) static void strike(void) {
    *(volatile int *)0x30 = 1;
}

static int in_loader(struct dl_phdr_info *information, size_t bytes, void *unused) {
    (void)information, (void)bytes, (void)unused;
    strike();
    return 0;
}

static void *strike_together(void *unused) {
    pthread_barrier_wait(&barrier);
    strike();
    return unused;
}

static void *count(void *unused) {
    for (;;)
        __asm__ volatile("");
    return unused;
}

static void in_handler(int number) {
    (void)number;
    strike();
}

static void in_child(void) {
    int status;
    pid_t pid = fork();
    if (pid == 0)
        strike();
    waitpid(pid, &status, 0);
    printf("child: %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
}

static void in_vfork_child(void) {
    int status;
    pid_t pid = vfork();
    if (pid == 0)
        strike();
    waitpid(pid, &status, 0);
    printf("child: %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
}

static void own_stack_is_gone(void) {
#ifdef __x86_64__
    __asm__ volatile("mov $64, %rsp\n push %rax");
#else
    __asm__ volatile("mov x9, #64\n mov sp, x9\n str x9, [sp, #-16]!");
#endif
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    pthread_t threads[8];
    if (!strcmp(kind, "loader"))
        dl_iterate_phdr(in_loader, NULL);
    if (!strcmp(kind, "stack"))
        own_stack_is_gone();
    if (!strcmp(kind, "together")) {
        pthread_barrier_init(&barrier, NULL, 8);
        for (int i = 0; i < 8; i++)
            pthread_create(&threads[i], NULL, strike_together, NULL);
        pthread_join(threads[0], NULL);
    }
    if (!strcmp(kind, "busy")) {
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, count, NULL);
        strike();
    }
    if (!strcmp(kind, "handler")) {
        signal(SIGUSR1, in_handler);
        raise(SIGUSR1);
    }
    if (!strcmp(kind, "heap")) { /* corrupts it, so that malloc aborts with its lock held */
        char *memory = malloc(24);
        memset(memory, 0x41, 4096);
        free(malloc(200000));
        free(malloc(5000));
        strike();
    }
    if (!strcmp(kind, "child"))
        in_child();
    if (!strcmp(kind, "vfork"))
        in_vfork_child();
    if (!strcmp(kind, "strict")) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        strike();
    }
    if (!strcmp(kind, "full")) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_NOFILE, &none);
        strike();
    }
    return 0;
}
