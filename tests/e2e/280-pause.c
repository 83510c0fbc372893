/*
 * A signal pauses recording and lets it go on: what is called in the pause is not there, what is open when it ends is,
 * with its true beginning, and what was open when it began ends there if it is over since. errno is kept.
 * BUILD: gcc -O0
 * BUILD: clang -O1
 * ENV: TRACE_SIGNAL=WINCH
 * ENV: TRACE_HOOKS=raise,close
 * CALLS: unseen 0
 * CALLS: seen 4
 * CALLS: close 1
 * INFO: lost: 0 events
 * INFO: damaged: 0
 * INFO: misnested: 0
 * INFO: closed by pause: 2
 * TREE:
 * └── main (dur) {app}
 *     ├── seen (dur) {app}
 *     ├── half (unfinished) {app}
 *     │   └── raise (unfinished) {libc.so.6} [signal=SIGWINCH]
 *     │       └── recording paused (dur) {traceshim}
 *     ├── other_half (dur) {app}
 *     │   ├── raise (dur) {libc.so.6}
 *     │   │   └── recording resumed (dur) {traceshim}
 *     │   ├── close (dur) {libc.so.6} [ERROR] [fd=-1, error='EBADF']
 *     │   └── seen (dur) {app}
 *     ├── seen (dur) {app}
 *     └── seen (dur) {app}
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

__attribute__((noinline)) static int seen(void) {
    return errno;
}

__attribute__((noinline)) static void unseen(void) {
    close(-1);
}

__attribute__((noinline)) static void half(void) {
    raise(SIGWINCH);
    unseen();
}

__attribute__((noinline)) static int other_half(void) {
    unseen();
    errno = ENOTTY;
    raise(SIGWINCH);
    int kept = errno == ENOTTY;
    close(-1);
    return seen() == EBADF && kept;
}

int main(void) {
    seen();
    half();
    for (int i = 0; i < 1000; i++)
        unseen();
    int right = other_half();
    seen();
    return seen() < 0 || !right;
}
