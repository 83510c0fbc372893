/* Makes library calls of known counts, and has one that it never makes. Part of 131-certificate-hooks.sh. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char byte;
    for (int i = 0; i < 50; i++) {
        int fd = open(argv[0], O_RDONLY);
        for (int k = 0; k < 4; k++) {
            lseek(fd, k, SEEK_SET);
            if (read(fd, &byte, 1) != 1)
                return 1;
        }
        close(fd);
    }
    return argc > 9 ? unlink(argv[9]) : 0;
}
