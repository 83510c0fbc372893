/* Waits for any child in a thread and counts SIGCHLD while the process ends; what it sees goes to standard output. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0)
        abort();
}

static void on_child(int number) {
    (void)number;
    say("SIGCHLD\n");
}

static void *wait_for_any(void *unused) {
    for (;;) {
        int status;
        if (waitpid(-1, &status, 0) > 0)
            say("reaped a child that is not ours\n");
        else if (errno != ECHILD)
            say("another error\n");
        usleep(200);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGCHLD, on_child);
    pthread_create(&thread, NULL, wait_for_any, NULL);
    usleep(20000);
    say("main ends\n");
    return 0;
}
