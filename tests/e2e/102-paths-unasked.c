/* Paths on the heap and on the main thread's stack are read without asking the kernel, until such a page is taken
 * away: calls with pointers to what is gone, there or in the program itself, fail as without us, and say so.
 * BUILD: gcc -O1 -fno-instrument-functions
 * NOT-EMULATED: the emulator has the heap end in the middle of a page of its own
 * ENV: TRACE_HOOKS=access
 * TREE:
 * ├── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 * ├── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 * ├── access (dur) {libc.so.6} [ERROR] [path=unreadable, mode=F_OK, error='EFAULT']
 * ├── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 * ├── access (dur) {libc.so.6} [ERROR] [path=unreadable, mode=F_OK, error='EFAULT']
 * ├── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 * ├── access (dur) {libc.so.6} [ERROR] [path=unreadable, mode=F_OK, error='EFAULT']
 * ├── access (dur) {libc.so.6} [ERROR] [path=unreadable, mode=F_OK, error='EFAULT']
 * ├── access (dur) {libc.so.6} [ERROR] [path=unreadable, mode=F_OK, error='EFAULT']
 * └── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static int can(const char *volatile path) {
    return access(path, F_OK) == 0 ? 0 : errno;
}

/* The heap grows and shrinks: what was there a moment ago is gone. */
static int heap(char *path) {
    strcpy(path, "/dev/null");
    int learns = can(path), knows = can(path);
    sbrk(-4 * PAGE);
    int gone = can(path);
    sbrk(4 * PAGE);
    return learns || knows || gone != EFAULT;
}

/* Above the stack is nothing. */
static int stack(void) {
    char buffer[2 * PAGE];
    char *end = (char *)(((uintptr_t)getauxval(AT_EXECFN) + 3 * PAGE) & -(uintptr_t)PAGE);
    strcpy(buffer + PAGE, "/dev/null");
    int knows = can(buffer + PAGE), above = can(end);
    return knows || above != EFAULT;
}

static char guarded[3 * PAGE];

static int data(void) {
    char *page = (char *)(((uintptr_t)guarded + PAGE) & -(uintptr_t)PAGE);
    strcpy(page, "/dev/null");
    int knows = can(page);
    mprotect(page, PAGE, PROT_NONE);
    int taken = can(page), runs_into = can(memset(page - 3, 'x', 3));
    munmap(page, PAGE);
    return knows || taken != EFAULT || runs_into != EFAULT || can(page) != EFAULT;
}

int main(void) {
    char *memory = sbrk(4 * PAGE);
    return heap(memory + 3 * PAGE) + 2 * stack() + 4 * data() + 8 * (can("/dev/null") != 0);
}
