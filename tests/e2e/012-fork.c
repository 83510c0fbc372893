/* A child holds its own calls only; a parent's calls stay the parent's.
 * BUILD: gcc -O0
 * BUILD: clang -O2
 * CALLS: in_child 2
 * CALLS: in_parent 1
 * CALLS: before 1
 * CALLS: main 1
 * PROCESSES: 3
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void before(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void in_child(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void in_parent(void) {
    __asm__ volatile("");
}

int main(void) {
    int status = 0;
    before();
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            in_child();
            _exit(4 + i);
        }
        waitpid(child, &status, 0);
    }
    in_parent();
    printf("last child: %d\n", WEXITSTATUS(status));
    return 0;
}
