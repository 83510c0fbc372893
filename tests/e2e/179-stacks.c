/*
 * Level 2 in a program that is not instrumented at all: library calls stand in the functions that make them, whatever
 * their frames look like, in a thread too. Cannot find what a signal handler's is: 173-callers-everywhere.sh does. Rows
 * C4, C17.
 * BUILD: gcc -O1 -pthread -fno-instrument-functions
 * BUILD: gcc -O2 -pthread -fno-instrument-functions -fomit-frame-pointer
 * ENV: TRACE_LEVEL=2
 * ENV: TRACE_HOOKS=getpagesize
 * INFO: callers: 5 call sites, 5 stacks, 5 whole
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noipa)) static
FUNCTION int load(int n) {
    char room[300];
    memset(room, n, sizeof room);
    return getpagesize() + room[n];
}

FUNCTION int moving(int n) { /* a frame of a size that only its register tells */
    char room[n];
    memset(room, n, (size_t)n);
    return load(n / 2) + room[n - 1];
}

FUNCTION int deep(int n) {
    return n ? deep(n - 1) + 1 : load(1);
}

static void *thread(void *unused) {
    load(2);
    return unused;
}

int main(void) {
    pthread_t id;
    int result = load(0);
    result += load(1); /* known by now */
    result += moving(50);
    result += deep(20);
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    return result < 0;
}
