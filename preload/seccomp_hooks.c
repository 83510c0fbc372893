/*
 * The program forbids itself system calls: from then on the shim makes none. Recording goes on in the window that the
 * calling thread has, a fresh one, and in those of other threads; then events are lost and counted.
 * arch/<cpu>/system_call.S receives the calls.
 */
#include "preload/seccomp_hooks.h"
#include "collector/recorder_attach.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

void ts_seccomp_look_at_prctl(int option) {
    if (option == PR_SET_SECCOMP)
        ts_recorder_forbid_system_calls();
}

void ts_seccomp_look_at_system_call(long number, unsigned long first) {
    if ((number == SYS_seccomp && first <= 1 /* SECCOMP_SET_MODE_STRICT, _FILTER */) ||
        (number == SYS_prctl && first == PR_SET_SECCOMP))
        ts_recorder_forbid_system_calls();
}
