/* The traced program of the golden traces. `killed`: it ends by SIGKILL in the middle of a call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;

static int leaf(int n) {
    return n + 1;
}

static int recurse(int n) {
    return n ? recurse(n - 1) + leaf(n) : 0;
}

static void jump(void) {
    longjmp(back, 1);
}

static void *worker(void *name) {
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < 3; i++)
        recurse(i);
    return NULL;
}

static void files(void) {
    char line[16];
    int fd = open("/golden/no such \033[31mfile", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fd = open("/dev/null", O_RDONLY);
    if (read(fd, line, sizeof line) == 0)
        close(fd);
}

static void child(void) {
    recurse(2);
    _exit(3);
}

int main(int argc, char **argv) {
    pthread_t thread;
    recurse(3);
    if (setjmp(back) == 0)
        jump();
    files();
    pthread_create(&thread, NULL, worker, "wor\"ker \xe2\x80\xae");
    pthread_join(thread, NULL);
    if (fork() == 0)
        child();
    wait(NULL);
    if (argc > 1 && strcmp(argv[1], "killed") == 0)
        raise(SIGKILL);
    return leaf(0) - 1;
}
