/* Works with three threads, children made in three ways and some depth, then executes itself; what it prints depends on
 * every call having run. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static unsigned step(unsigned n) {
    return n * 1664525u + 1013904223u;
}

__attribute__((noinline)) static unsigned descend(unsigned depth) {
    return depth == 0 ? step(1) : step(descend(depth - 1));
}

static void *work(void *number) {
    unsigned sum = *(unsigned *)number;
    for (int i = 0; i < 10000; i++)
        sum = step(sum);
    *(unsigned *)number = sum;
    return NULL;
}

static int child_status(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

/* What the program executes: begins, forks and ends once more. */
static int executed(int status) {
    pid_t child = fork();
    if (child == 0)
        _exit((int)(descend(20) % 50));
    printf("executed: child %d\n", child_status(child));
    return status;
}

int main(int count, char **arguments) {
    pthread_t threads[3];
    unsigned numbers[3] = {1, 2, 3};
    if (count > 1)
        return executed(atoi(arguments[1]));
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0)
        _exit((int)(descend(3000) % 100));
    printf("%u %u %u, depth %u, child %d\n", numbers[0], numbers[1], numbers[2], descend(3000), child_status(child));
    fflush(stdout);
    char *spawned[] = {arguments[0], "5", NULL}, *again[] = {arguments[0], "4", NULL}, *nothing[] = {NULL};
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, spawned, nothing) != 0)
        return 1;
    printf("spawned %d\n", child_status(child));
    fflush(stdout);
    child = vfork();
    if (child == 0)
        _exit(6);
    printf("vfork %d\n", child_status(child));
    fflush(stdout);
    execv("/proc/self/exe", again);
    return 1;
}
