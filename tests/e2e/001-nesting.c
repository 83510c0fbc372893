/* Calls within calls, in order of start. Rows A7, A20, C17.
 * BUILD: gcc -O0
 * BUILD: clang -O2
 * CALLS: leaf 3
 * TREE:
 * └── main (dur) {app}
 *     ├── outer (dur) {app}
 *     │   ├── inner (dur) {app}
 *     │   │   └── leaf (dur) {app}
 *     │   └── leaf (dur) {app}
 *     └── leaf (dur) {app}
 */
#include <stdio.h>

__attribute__((noinline)) void leaf(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) void inner(void) {
    leaf();
    __asm__ volatile("");
}

__attribute__((noinline)) void outer(void) {
    inner();
    leaf();
    __asm__ volatile("");
}

int main(void) {
    outer();
    leaf();
    puts("done");
    return 3;
}
