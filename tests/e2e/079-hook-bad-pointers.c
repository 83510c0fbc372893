/* What a pointer leads to is the kernel's to judge: calls with bad ones fail as without us, and a path stands in the
 * trace as far as it can be read.
 * BUILD: gcc -O1 -fno-instrument-functions
 * NOT-EMULATED: a bad address for connect ends the emulator
 * ENV: TRACE_HOOKS=open,stat,rename,connect,nanosleep,openat,pipe
 * TREE:
 * ├── open (dur) {libc.so.6} [ERROR] [path=unreadable, flags=O_RDONLY, error='EFAULT']
 * ├── open (dur) {libc.so.6} [ERROR] [path=unreadable, flags=O_RDONLY, error='EFAULT']
 * ├── open (dur) {libc.so.6} [ERROR] [path='', flags=O_RDONLY, error='ENOENT']
 * ├── open (dur) {libc.so.6} [path='/dev/null', flags=O_RDONLY, result=3]
 * ├── open (dur) {libc.so.6} [ERROR] [path=unreadable, flags=O_RDONLY, error='EFAULT']
 * ├── open (dur) {libc.so.6} [ERROR] [path=unreadable, flags=O_RDONLY, error='EFAULT']
 * ├── open (dur) {libc.so.6} [ERROR] [path=unreadable, flags=O_RDONLY, error='EFAULT']
 * ├── open (dur) {libc.so.6} [ERROR] [path=unreadable, flags=O_RDONLY, error='EFAULT']
 * ├── open (dur) {libc.so.6} [ERROR] [path=None, flags=O_RDONLY, error='EFAULT']
 * ├── open (dur) {libc.so.6} [ERROR] [path=unreadable, flags=O_RDONLY, error='EFAULT']
 * ├── rename (dur) {libc.so.6} [ERROR] [from='nowhere', to=unreadable, error='EFAULT']
 * ├── openat (dur) {libc.so.6} [ERROR] [directory=-1, path='x', flags=O_RDONLY, error='EBADF']
 * ├── stat (dur) {libc.so.6} [ERROR] [path=unreadable, error='EFAULT']
 * ├── connect (dur) {libc.so.6} [ERROR] [fd=-1, address=unreadable, error='EBADF']
 * ├── connect (dur) {libc.so.6} [ERROR] [fd=-1, address=unreadable, error='EBADF']
 * ├── connect (dur) {libc.so.6} [ERROR] [fd=-1, address=24929, error='EBADF']
 * ├── nanosleep (dur) {libc.so.6} [ERROR] [duration=None, error='EFAULT']
 * └── pipe (dur) {libc.so.6} [ERROR] [error='EFAULT']
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int failed(const char *what, long result) {
    int error = errno;
    printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(error) : "");
    errno = 0;
    return result < 0;
}

int main(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *volatile edge = memory + page, *volatile one = (char *)1, *volatile high = (char *)-9, *volatile none = NULL;
    char *volatile not_canonical = (char *)0x8000000000000000;
    mprotect(memory + page, page, PROT_NONE);
    memset(memory, 'a', page);
    failed("no end", open(edge - 5, O_RDONLY));
    failed("no end, long", open(edge - 300, O_RDONLY));
    edge[-1] = 0;
    failed("last byte", open(edge - 1, O_RDONLY));
    memcpy(edge - 10, "/dev/null", 10);
    failed("up to the edge", open(edge - 10, O_RDONLY));
    failed("unmapped", open(edge, O_RDONLY));
    failed("one", open(one, O_RDONLY));
    failed("high", open(high, O_RDONLY));
    failed("not canonical", open(not_canonical, O_RDONLY));
    failed("null", open(none, O_RDONLY));
    mprotect(memory, page, PROT_NONE);
    failed("forbidden", open(memory, O_RDONLY));
    mprotect(memory, page, PROT_READ | PROT_WRITE);
    struct stat status;
    failed("second", rename("nowhere", edge));
    failed("relative to nothing", openat(-7, "x", O_RDONLY));
    failed("stat", stat(one, &status));
    failed("connect", connect(-1, (struct sockaddr *)edge, 16));
    failed("connect, cut", connect(-1, (struct sockaddr *)(edge - 8), 16));
    failed("connect, large", connect(-1, (struct sockaddr *)memory, 0x7fffffff));
    failed("sleep", nanosleep((struct timespec *)(edge - 8), NULL));
    failed("pipe", pipe((int *)edge));
    return 0;
}
