/*
 * Calls whose shape is known, for 230-filters.sh: main calls early, then twice work (which calls leaf three times), and
 * late; a second thread calls leaf.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void leaf(void) {
}

void early(void) {
    usleep(60000);
}

void work(void) {
    leaf();
    leaf();
    leaf();
}

void late(void) {
    usleep(1000);
}

void *other(void *unused) {
    pthread_setname_np(pthread_self(), "second");
    leaf();
    return unused;
}

int main(void) {
    pthread_t thread;
    early();
    work();
    work();
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    late();
    puts("done");
    return 0;
}
