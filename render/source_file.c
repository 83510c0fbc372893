#include "render/source_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *ts_source_file_open(const char *path) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return NULL;
    }
    return fd >= 0 ? fdopen(fd, "r") : NULL;
}
