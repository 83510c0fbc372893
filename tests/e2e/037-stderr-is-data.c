/* Closes standard error and uses its number for a file of data. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static void write_data(int fd) {
    dprintf(fd, "data\n");
}

int main(void) {
    close(2);
    int fd = open("data", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    write_data(fd);
    printf("data went to descriptor %d\n", fd);
    return 0;
}
