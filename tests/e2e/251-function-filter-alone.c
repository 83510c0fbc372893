/*
 * Nothing of the program's runs for TRACE_FUNCTIONS: its allocator ends it when it is called before main, and its
 * demangler at any time. What comes on standard input is left to it; no child is to be seen, and no descriptor.
 * BUILD: gcc -O1 -rdynamic
 * BUILD: clang -O0 -rdynamic
 * NOT-EMULATED: the emulator cannot make the process that reads the names
 * ENV: TRACE_FUNCTIONS=-skipped,-*_skip
 * CALLS: main 1
 * CALLS: kept 3
 * CALLS: skipped 0
 * CALLS: also_skip 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

static volatile int is_in_main;
static char heap[1 << 20] __attribute__((aligned(16)));
static size_t used;

static QUIET void refuse(const char *what) {
    if (is_in_main)
        return;
    if (write(2, what, strlen(what)) < 0)
        _exit(98);
    _exit(99);
}

QUIET void *malloc(size_t bytes) {
    refuse("malloc before main\n");
    used = (used + 15) & ~(size_t)15;
    void *memory = heap + used;
    used += bytes;
    return used <= sizeof heap ? memory : NULL;
}

QUIET void free(void *memory) {
    if (memory)
        refuse("free before main\n");
}

QUIET void *calloc(size_t count, size_t bytes) {
    return malloc(count * bytes);
}

QUIET void *realloc(void *memory, size_t bytes) {
    void *larger = malloc(bytes);
    if (larger && memory)
        memcpy(larger, memory, bytes < (size_t)(heap + used - (char *)memory) ? bytes : 0);
    return larger;
}

QUIET char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) {
    (void)name, (void)buffer, (void)length, (void)status;
    abort();
}

/* A C++ name, which would have been demangled. */
__attribute__((noinline)) int kept(int n);
__attribute__((noinline)) int skipped(int n) __asm__("_Z7skippedi");
__attribute__((noinline)) int also_skip(int n);

int skipped(int n) {
    return n + 1;
}

int also_skip(int n) {
    return skipped(n) + 1;
}

int kept(int n) {
    return also_skip(n) + 1;
}

int main(void) {
    is_in_main = 1;
    int sum = 0, status = 0;
    for (int i = 0; i < 3; i++)
        sum += kept(i);
    errno = 0;
    int waited = (int)waitpid(-1, &status, 0), reason = errno;
    int next = open("/dev/null", O_RDONLY);
    printf("%d, wait %d %d, next descriptor %d\n", sum, waited, reason == ECHILD, next);
    return 7;
}
