/* A crash is a line where it happened, with the stack that leads there, in every build and on every processor.
 * BUILD: gcc -O0
 * BUILD: gcc -O2 -fomit-frame-pointer
 * BUILD: clang -O1
 * TREE:
 * └── main (unfinished) {app}
 *     └── go (unfinished) {app}
 *         └── h (unfinished) {app}
 *             └── SIGSEGV (dur) {app} [ERROR] [code=SEGV_MAPERR, address=0x8, stack='h at 111-crash.c:14 < go < main']
 */
#include <stddef.h>

__attribute__((noinline)) static int h(volatile int *place) {
    return *place + 1;
}

__attribute__((noinline)) static int go(int place) {
    return h((int *)(size_t)place) + place;
}

int main(void) {
    volatile int place = 8;
    return go(place) + place;
}
