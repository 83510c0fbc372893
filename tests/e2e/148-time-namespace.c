/* A child in another time namespace, where CLOCK_MONOTONIC is `argument` seconds off, inside a call that its parent has
 * begun. 77: not allowed here.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

__attribute__((noinline)) static int leaf(int n) {
    for (volatile int i = 0; i < 500; i++)
        ;
    return n + 1;
}

__attribute__((no_instrument_function)) static int move_clock(const char *seconds) {
    int fd = unshare(CLONE_NEWTIME) == 0 ? open("/proc/self/timens_offsets", O_WRONLY) : -1;
    return fd < 0 || dprintf(fd, "monotonic %s 0\n", seconds) < 0 || close(fd);
}

__attribute__((noinline)) static int outer(const char *seconds) {
    int sum = 0, status = -1;
    for (int i = 0; i < 100; i++)
        sum += leaf(i);
    if (move_clock(seconds))
        exit(77);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 100000; i++)
            sum += leaf(i);
        return 3;
    }
    waitpid(child, &status, 0);
    for (int i = 0; i < 100; i++)
        sum += leaf(i);
    return WEXITSTATUS(status);
}

int main(int count, char **arguments) {
    return outer(arguments[1]);
}
