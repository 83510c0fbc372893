/* Constructors that run before the shim's, destructors that run after main, indirect functions and weak ones: calls
 * work, and from main on all are seen.
 * LIBRARY: libearly.so
 * BUILD: gcc -O1 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -fno-plt
 * BUILD: gcc -O1 -fno-instrument-functions -Wl,-z,now
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie
 * ENV: TRACE_HOOKS=*
 * CALLS: early_call 4
 * CALLS: early_indirect 2
 * CALLS: early_weak 1
 * CALLS: early_versioned 2
 * PARENT: early_weak < -
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int early_call(const char *from);
int early_indirect(int n);
int early_weak(int n) __attribute__((weak));
int early_missing(int n) __attribute__((weak));
int early_versioned(int n);

#ifdef LIBRARY
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int early_call(const char *from) {
    pthread_mutex_lock(&mutex);
    int fd = open("/dev/null", O_RDONLY);
    dprintf(STDOUT_FILENO, "called from %s, descriptor %d\n", from, fd);
    close(fd);
    pthread_mutex_unlock(&mutex);
    return fd;
}
static int resolved(int n) {
    return n * 2;
}
static int (*resolve(void))(int) {
    return resolved;
}
int early_indirect(int n) __attribute__((ifunc("resolve")));
int early_weak(int n) {
    return n + 1;
}
int early_versioned(int n) {
    return n + 3;
}
__attribute__((constructor)) static void start(void) {
    free(malloc(10));
    early_call("a constructor of the library");
}
__attribute__((destructor)) static void end(void) {
    early_call("a destructor of the library");
}
#else
__attribute__((constructor(101))) static void start(void) {
    early_call("a constructor of the program");
}
__attribute__((destructor)) static void end(void) {
    early_call("a destructor of the program");
}

int main(void) {
    printf("%d %d\n", early_indirect(2), early_indirect(3));
    printf("%d %d\n", early_weak ? early_weak(1) : 0, early_missing ? early_missing(1) : 0);
    printf("%d %d\n", early_versioned(1), early_versioned(2));
    fflush(stdout);
    return early_call("main") < 0;
}
#endif
