// clang-format off
/* Level 3: a jump is an event that names the calls that it has left; one that stays in its frame has left none. Out of
 * a handler it leaves the signal too.
 * BUILD: gcc -O0
 * BUILD: gcc -O2 -D_FORTIFY_SOURCE=2
 * BUILD: clang -O1
 * ENV: TRACE_LEVEL=3
 * ENV: TRACE_HOOKS=
 * INFO: jumps: 3
 * TREE:
 * └── main (dur) {app}
 *     ├── longjmp (dur) {app} [value=1, from='main', at='197-jumps.c:59']
 *     ├── outer (dur) {app} [at='197-jumps.c:62', unwound=True]
 *     │   └── middle (dur) {app} [at='197-jumps.c:41', unwound=True]
 *     │       └── leaper (dur) {app} [at='197-jumps.c:37', unwound=True]
 *     │           └── longjmp (dur) {app} [value=-2, from='leaper', at='197-jumps.c:34', left=['leaper', 'middle', 'outer']]
 *     ├── interrupted (dur) {app} [at='197-jumps.c:66', unwound=True]
 *     │   └── SIGUSR1 (dur) {app} [handler='on_signal', code=SI_TKILL, sender=N, unwound=True]
 *     │       └── on_signal (dur) {app} [unwound=True]
 *     │           └── longjmp (dur) {app} [value=3, from='on_signal', at='197-jumps.c:46', left=['on_signal', 'SIGUSR1', 'interrupted']]
 *     └── after (dur) {app} [at='197-jumps.c:67']
 */
// clang-format on
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf plain;
static sigjmp_buf with_mask;

#define FUNCTION __attribute__((noinline)) static void

FUNCTION leaper(void) {
    longjmp(plain, -2);
}
FUNCTION middle(void) {
    leaper();
    __asm__ volatile("");
}
FUNCTION outer(void) {
    middle();
    __asm__ volatile("");
}
FUNCTION on_signal(int number) {
    (void)number;
    siglongjmp(with_mask, 3);
}
FUNCTION interrupted(void) {
    raise(SIGUSR1);
    __asm__ volatile("");
}
FUNCTION after(void) {
    __asm__ volatile("");
}

int main(void) {
    volatile int jumps = 0;
    if (setjmp(plain) == 0)
        longjmp(plain, 1);
    jumps++;
    if (setjmp(plain) == 0)
        outer();
    jumps++;
    signal(SIGUSR1, on_signal);
    if (sigsetjmp(with_mask, 1) == 0)
        interrupted();
    after();
    printf("%d jumps\n", jumps + 1);
    return 0;
}
