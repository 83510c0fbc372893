/* What descriptors refer to: opened, used, replaced and closed in all ways. 094-hook-descriptors.sh. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void churn(int count) {
    char byte;
    for (int i = 0; i < count; i++) {
        int fd = open("one", O_RDONLY);
        if (read(fd, &byte, 1) != 1 || close(fd) != 0)
            abort();
    }
}

static void churn_streams(int count) {
    for (int i = 0; i < count; i++) {
        FILE *stream = fdopen(open("one", O_RDONLY), "r");
        if (!stream || fflush(stream) != 0 || fclose(stream) != 0)
            abort();
    }
}

int main(int argc, char **argv) {
    char byte;
    if (argc > 1 && !strcmp(argv[1], "fifo")) { /* a short open, a long read */
        int fifo = open("fifo", O_RDWR);
        system("(sleep 0.2; echo >fifo) &");
        return read(fifo, &byte, 1) != 1;
    }
    if (argc > 1) {
        churn(atoi(argv[1]));
        churn_streams(atoi(argv[1]));
        return 0;
    }
    int directory = open("sub", O_RDONLY | O_DIRECTORY);
    int inner = openat(directory, "two", O_RDONLY);
    int kept = open("one", O_RDONLY);
    read(inner, &byte, 1);
    dup2(kept, inner); /* it is another file now */
    pread(inner, &byte, 1, 0);
    FILE *stream = fopen("sub/two", "r");
    fseek(stream, 0, SEEK_END);
    fclose(stream);
    DIR *listing = opendir("sub");
    readdir(listing);
    closedir(listing);
    int pipes[2];
    close(open("one", O_RDONLY)); /* its number goes to the pipe */
    pipe(pipes);
    write(pipes[1], "x", 1);
    churn(20000); /* some windows further */
    lseek(kept, 0, SEEK_SET);
    return 0;
}
