/* Belongs to 125-safe-output.sh, which renames `plain` to what no compiler would write. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int plain(int n) {
    return n + 1;
}

static void *named(void *name) {
    pthread_setname_np(pthread_self(), name);
    plain(1);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc < 2)
        return 1;
    access(argv[1], R_OK);
    pthread_create(&thread, NULL, named, "\033[5m\xe2\x80\xae\"\\");
    pthread_join(thread, NULL);
    return plain(1) - 2;
}
