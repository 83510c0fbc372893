/* A page of the stack that is taken away past libc's mprotect: paths on it are asked for again.
 * BUILD: gcc -O1 -fno-instrument-functions
 * ENV: TRACE_HOOKS=access
 * TREE:
 * ├── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 * ├── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 * ├── access (dur) {libc.so.6} [ERROR] [path=unreadable, mode=F_OK, error='EFAULT']
 * └── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int can(const char *volatile path) {
    return access(path, F_OK) == 0 ? 0 : errno;
}

int main(void) {
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char buffer[4 * page_bytes];
    char *page = (char *)(((uintptr_t)buffer + 2 * page_bytes) & -page_bytes);
    strcpy(page, "/dev/null");
    int learns = can(page), knows = can(page);
    syscall(SYS_mprotect, page, page_bytes, PROT_NONE);
    int taken = can(page);
    mprotect(page, page_bytes, PROT_READ | PROT_WRITE);
    return learns || knows || taken != EFAULT || can(page);
}
