/*
 * The program forbids itself system calls: from then on the shim makes none. Recording goes on in the window that the
 * calling thread has, a fresh one, and in those of other threads; then events are lost and counted. Signals' defaults
 * that we stand in for are given back: before such a call, and before one that would show ours, as are handlers.
 * A program that has system calls sent to itself is treated so too. Strict mode forbids the processor's counter too,
 * and PR_SET_TSC nothing else. arch/<cpu>/system_call.S receives the calls.
 */
#include "preload/seccomp_hooks.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/crash_stack.h"
#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/text.h"
#include "preload/fatal_signals.h"
#include "preload/modules.h"
#include "preload/process_hooks.h"
#include "preload/readable.h"
#include "preload/signal_handlers.h"
#include "preload/signal_mask_hooks.h"

#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON: newer than some headers. */
enum { SET_USER_DISPATCH = 59, USER_DISPATCH_ON = 1 };

static void note(const char *text) {
    struct ts_record_metadata record = {.key = TS_METADATA_NOTE, .value_bytes = (uint32_t)ts_text_length(text)};
    ts_control_write(TS_RECORD_METADATA, &record, sizeof record, text, record.value_bytes, NULL, 0);
}

static void forbid_counter(int strict) {
    if (!ts_process_fresh || ts_system_forbidden)
        return;
    if (ts_clock_leave_counter())
        ts_modules_patch_again();
    note(strict
             ? "the program entered strict mode, without the processor's counter: later times are the kernel's steps "
               "of some milliseconds"
             : "the program forbade the processor's counter (PR_SET_TSC): later times are the system's clock");
}

static void forbid_system_calls(int strict) {
    if (strict)
        forbid_counter(1);
    uint64_t clock = ts_clock_now();
    ts_fatal_signals_end();
    ts_recorder_forbid_system_calls();
    ts_clock_continue(clock);
}

void ts_seccomp_look_at_prctl(int option, unsigned long value) {
    if (option == PR_SET_SECCOMP)
        forbid_system_calls(value == SECCOMP_MODE_STRICT);
    else if (option == SET_USER_DISPATCH && value == USER_DISPATCH_ON)
        forbid_system_calls(0); /* ours would be sent to the program, which knows of none */
    else if (option == PR_SET_TSC && value == PR_TSC_SIGSEGV)
        forbid_counter(0);
}

void ts_seccomp_look_at_system_call(long number, unsigned long first, unsigned long second, unsigned long third,
                                    unsigned long fourth, unsigned long fifth) {
    if (number == SYS_execve)
        ts_process_hooks_try_execve((const char *)first, (char *const *)second, (char *const *)third);
    if (number == SYS_execveat)
        ts_process_hooks_try_execveat((int)first, (const char *)second, (char *const *)third, (char *const *)fourth,
                                      (int)fifth);
    if (number == SYS_seccomp && (first == SECCOMP_SET_MODE_STRICT || first == SECCOMP_SET_MODE_FILTER))
        forbid_system_calls(first == SECCOMP_SET_MODE_STRICT);
    if (number == SYS_prctl)
        ts_seccomp_look_at_prctl((int)first, second);
    if (number == SYS_rt_sigaction) {
        ts_fatal_signals_give_back((int)first);
        ts_signal_handlers_give_back((int)first);
    }
    if (number == SYS_rt_sigprocmask)
        ts_signal_mask_look_at((int)first, (const sigset_t *)second);
    if ((number == SYS_mprotect && !(third & PROT_READ)) || number == SYS_pkey_mprotect)
        ts_readable_taken_away(first, second);
    if (number == SYS_sigaltstack && ts_this_recorder)
        ts_crash_stack_unset(ts_this_recorder);
}
