/* fatal-signals KIND [thread]: ends by the signal that is named, in main or in a thread, from a chain of three calls.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int recurse(int depth) {
    volatile char frame[512];
    frame[0] = (char)depth;
    return recurse(depth + 1) + frame[0];
}

static void beyond_the_file(void) {
    char name[] = "bus.XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    page[16] = 1;
}

static void burn(void) {
    struct rlimit limit = {1, 9};
    setrlimit(RLIMIT_CPU, &limit);
    for (;;)
        __asm__ volatile("");
}

static void double_free(void) {
    char *memory = malloc(3000);
    free(memory);
    memory[0] = 0;
    free(memory);
}

__attribute__((noinline)) static void strike(const char *kind) {
    volatile int zero = 0;
    if (!strcmp(kind, "segv"))
        *(volatile int *)0x10 = 1;
    if (!strcmp(kind, "call"))
        ((void (*)(void))(size_t)zero)();
    if (!strcmp(kind, "bus"))
        beyond_the_file();
    if (!strcmp(kind, "fpe"))
        zero = 7 / zero; /* 1 / x needs no division */
    if (!strcmp(kind, "ill"))
        __builtin_trap();
    if (!strcmp(kind, "trap"))
        __asm__ volatile("int3");
    if (!strcmp(kind, "abort"))
        abort();
    if (!strcmp(kind, "free"))
        double_free();
    if (!strcmp(kind, "overflow"))
        recurse(0);
    if (!strcmp(kind, "raise-segv"))
        raise(SIGSEGV);
    if (!strcmp(kind, "kill-abrt"))
        kill(getpid(), SIGABRT);
    if (!strcmp(kind, "kill-term"))
        kill(getpid(), SIGTERM);
    if (!strcmp(kind, "kill-int"))
        kill(getpid(), SIGINT);
    if (!strcmp(kind, "kill-sys"))
        kill(getpid(), SIGSYS);
    if (!strcmp(kind, "kill-rt"))
        sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 7});
    if (!strcmp(kind, "xcpu"))
        burn();
    if (!strcmp(kind, "alarm"))
        ualarm(1000, 0);
    if (!strcmp(kind, "pipe"))
        signal(SIGPIPE, SIG_DFL), close(0), dup2(1, 0), raise(SIGPIPE);
    pause();
}

__attribute__((noinline)) static void caller(const char *kind) {
    strike(kind);
    puts("survived");
}

static void *thread(void *kind) {
    caller(kind);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t made;
    puts("before");
    fflush(stdout);
    if (argc > 2) {
        pthread_create(&made, NULL, thread, argv[1]);
        pthread_join(made, NULL);
    }
    caller(argv[1]);
    return 1;
}
