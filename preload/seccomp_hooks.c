/*
 * The program forbids itself system calls: from then on the shim makes none. Recording goes on in the window that the
 * calling thread has, a fresh one, and in those of other threads; then events are lost and counted. Signals' defaults
 * that we stand in for are given back: before such a call, and before one that would show ours, as are handlers.
 * arch/<cpu>/system_call.S receives the calls.
 */
#include "preload/seccomp_hooks.h"
#include "collector/crash_stack.h"
#include "collector/recorder_attach.h"
#include "preload/fatal_signals.h"
#include "preload/signal_handlers.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

static void forbid_system_calls(void) {
    ts_fatal_signals_end();
    ts_recorder_forbid_system_calls();
}

void ts_seccomp_look_at_prctl(int option) {
    if (option == PR_SET_SECCOMP)
        forbid_system_calls();
}

void ts_seccomp_look_at_system_call(long number, unsigned long first) {
    if ((number == SYS_seccomp && first <= 1 /* SECCOMP_SET_MODE_STRICT, _FILTER */) ||
        (number == SYS_prctl && first == PR_SET_SECCOMP))
        forbid_system_calls();
    if (number == SYS_rt_sigaction) {
        ts_fatal_signals_give_back((int)first);
        ts_signal_handlers_give_back((int)first);
    }
    if (number == SYS_sigaltstack && ts_this_recorder)
        ts_crash_stack_unset(ts_this_recorder);
}
