/* A tree of 10 processes, each of which counts its calls in a shared file: 3 children, 2 of each of them; the second
 * child kills itself three calls deep when it has its children. Part of 134-certificate-forks.sh. usage: forks FILE
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct count {
    uint64_t pid;
    uint64_t calls;
} * counts;
static int mine;

#define COUNT() (counts[mine].calls++)

__attribute__((noinline)) static void leaf(void) {
    COUNT();
    __asm__ volatile("");
}

__attribute__((noinline)) static void die(int depth) {
    COUNT();
    if (depth == 0)
        kill(getpid(), SIGKILL);
    die(depth - 1);
    __asm__ volatile("");
}

__attribute__((no_instrument_function)) static int begin(int number) {
    int pid = fork();
    if (pid == 0) {
        mine = number;
        counts[mine].pid = (uint64_t)getpid();
    }
    return pid;
}

/* Returns in the parent only. */
__attribute__((no_instrument_function)) static void child(int number) {
    if (begin(number))
        return;
    for (int i = 0; i < 1000 * number; i++)
        leaf();
    for (int i = 0; i < 2; i++)
        if (begin(4 + 2 * (number - 1) + i) == 0) {
            for (int k = 0; k < 100 * mine; k++)
                leaf();
            _exit(mine);
        }
    while (wait(NULL) > 0)
        ;
    if (number == 2)
        die(2);
    _exit(number);
}

int main(int argc, char **argv) {
    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
    if (fd < 0 || ftruncate(fd, 10 * sizeof *counts))
        return 1;
    counts = mmap(NULL, 10 * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        return 1;
    counts[0].pid = (uint64_t)getpid();
    COUNT();
    for (int i = 1; i <= 3; i++)
        child(i);
    while (wait(NULL) > 0)
        ;
    leaf();
    return 0;
}
