/* Works with three threads, a forked child and some depth; what it prints depends on every call having run. */
#include <pthread.h>
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

int main(void) {
    pthread_t threads[3];
    unsigned numbers[3] = {1, 2, 3};
    int status = 0;
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0)
        _exit((int)(descend(3000) % 100));
    waitpid(child, &status, 0);
    printf("%u %u %u, depth %u, child %d\n", numbers[0], numbers[1], numbers[2], descend(3000), WEXITSTATUS(status));
    return 4;
}
