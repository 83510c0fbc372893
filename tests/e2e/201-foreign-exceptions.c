// clang-format off
/* Level 3: exceptions that other languages raise through the same unwinder are events too, by what their runtime calls
 * itself; their catches cannot be seen, and nothing else changes for it. What claims to be an exception and leads
 * nowhere harms nobody.
 * BUILD: gcc -O1 -fexceptions -fno-instrument-functions
 * ENV: TRACE_LEVEL=3
 * ENV: TRACE_HOOKS=
 * INFO: exceptions: 4 thrown, 0 rethrown, 0 caught, 0 uncaught
 * TREE:
 * └── main (from stack) {app}
 *     ├── raise_one (from stack) {app}
 *     │   └── throw (dur) {app} [exception.type='Rust panic', from='raise_one', at='201-foreign-exceptions.c:40']
 *     ├── raise_one (from stack) {app}
 *     │   └── throw (dur) {app} [exception.type='foreign exception', from='raise_one', at='201-foreign-exceptions.c:40']
 *     ├── raise_one (from stack) {app}
 *     │   └── throw (dur) {app} [exception.type='Ada exception', from='raise_one', at='201-foreign-exceptions.c:40']
 *     └── raise_one (from stack) {app}
 *         └── throw (dur) {app} [from='raise_one', at='201-foreign-exceptions.c:40']
 */
// clang-format on
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

/* The header lies at the end of a page that nothing follows: what a runtime keeps behind it cannot be read. */
static struct {
    char space[4096];
    struct _Unwind_Exception header;
} exceptions __attribute__((aligned(16)));

/* Finds no handler, and returns. */
__attribute__((noinline)) static void raise_one(const char *name) {
    uint64_t class = 0;
    for (int i = 0; i < 8; i++)
        class = class << 8 | (unsigned char)name[i];
    memset(&exceptions, 0x5a, sizeof exceptions);
    memset(&exceptions.header, 0, sizeof exceptions.header);
    exceptions.header.exception_class = class;
    printf("%d\n", _Unwind_RaiseException(&exceptions.header) == _URC_END_OF_STACK);
}

int main(void) {
    raise_one("MOZ\0RUST");
    raise_one("OTHERLNG");
    raise_one("GNU-Ada\0");
    raise_one("GNUCC++\0"); /* whose type is at 0x5a5a5a5a5a5a5a5a */
    return 0;
}
