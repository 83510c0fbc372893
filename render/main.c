#include "render/command.h"

#include <fcntl.h>
#include <unistd.h>

/*
 * Takes the standard descriptors that we were started without: else a file that we open could get number 2 and our
 * messages with it. Read-only, so that writing fails as it would have; not inherited by what we run.
 */
static void occupy_standard_descriptors(void) {
    int fd;
    do
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv) {
    occupy_standard_descriptors();
    return ts_command_main(argc, argv);
}
