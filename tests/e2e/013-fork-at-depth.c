/* fork 20 calls deep: parent and child both return through every frame, and nothing counts as unwound.
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * CALLS: descend 20
 * CALLS: leaf 2
 * PARENT: leaf < main
 * INFO: unwound: 0
 * INFO: unfinished: 0
 * PROCESSES: 2
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

__attribute__((noinline)) static int descend(int depth) {
    if (depth == 1) {
        child = fork();
        return 1;
    }
    return descend(depth - 1) + 1;
}

__attribute__((noinline)) static void leaf(void) {
    __asm__ volatile("");
}

int main(void) {
    int status = 0;
    int depth = descend(20);
    leaf();
    if (child == 0)
        exit(depth);
    waitpid(child, &status, 0);
    printf("child came from depth %d\n", WEXITSTATUS(status));
    return 0;
}
