/* Waits of no time, and calls whose numbers have names (100-hook-polling.sh). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>

int main(void) {
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    struct pollfd wanted = {.fd = pair[0], .events = POLLIN};
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    struct timeval none = {0};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event);
    epoll_wait(epoll, &event, 1, 0);
    epoll_ctl(epoll, EPOLL_CTL_DEL, pair[0], NULL);
    poll(&wanted, 1, 1);
    select(0, NULL, NULL, NULL, &none);
    shutdown(pair[1], SHUT_WR);
    poll(&wanted, 1, -1);
    void *page = mmap((void *)0x10000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    madvise(page, 4096, MADV_DONTNEED);
    posix_fadvise(pair[0], 0, 0, POSIX_FADV_SEQUENTIAL);
    return 0;
}
