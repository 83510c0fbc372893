/* Leaves calls without their exit, each kind a known number of times. Part of 133-certificate-ends.sh.
 * usage: ends jumps|threads|HOW; HOW ends the process at depth 4: exit _exit quick_exit abort exec kill
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static const char *how;

__attribute__((noinline)) static void end(void) {
    if (strcmp(how, "jumps") == 0)
        siglongjmp(back, 1);
    if (strcmp(how, "threads") == 0)
        pthread_exit(NULL);
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(0);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", NULL);
    kill(getpid(), SIGKILL);
}

__attribute__((noinline)) static void deep(int depth) {
    if (depth == 0)
        end();
    else
        deep(depth - 1);
    __asm__ volatile("");
}

__attribute__((noinline)) static void *run(void *unused) {
    deep(1);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "jumps") == 0)
        for (volatile int i = 0; i < 70; i++) {
            if (!sigsetjmp(back, 0))
                deep(3);
        }
    else if (strcmp(how, "threads") == 0)
        for (int i = 0; i < 6; i++) {
            pthread_create(&thread, NULL, run, NULL);
            pthread_join(thread, NULL);
        }
    else
        deep(1);
    return 0;
}
