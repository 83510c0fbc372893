/* Counts executed programs without us: each appends the name of its file to the file STARTS. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void started(void) {
    char path[4097];
    int file = open(getenv("STARTS"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    if (file < 0 || bytes <= 0)
        abort();
    path[bytes] = '\n';
    const char *name = (const char *)memrchr(path, '/', (size_t)bytes) + 1;
    if (write(file, name, (size_t)(path + bytes + 1 - name)) < 0)
        abort();
    close(file);
}
