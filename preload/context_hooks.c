/*
 * The program makes stacks to run on: of contexts (arch/<cpu>/context.S receives the call) and of signal handlers. What
 * is not announced here, as by a bare system call, the recorder finds out by more steps.
 */
#include "preload/context_hooks.h"
#include "collector/crash_stack.h"
#include "collector/recorder_attach.h"
#include "collector/stacks.h"
#include "collector/system.h"
#include "preload/export.h"
#include "preload/fatal_signals.h"
#include "preload/real.h"

#include <errno.h>
#include <signal.h>

void ts_context_made(const ucontext_t *context) {
    ts_stacks_note((uint64_t)context->uc_stack.ss_sp, context->uc_stack.ss_size);
}

/* What the kernel would refuse is passed on as it is: it is the program's EFAULT. */
static int is_readable(const void *pointer) {
    return !pointer || ts_system_forbidden || ts_system_readable(pointer);
}

/* Signals are blocked, lest a handler run on a stack that the kernel knows and the recorder does not. */
TS_EXPORT int sigaltstack(const stack_t *stack, stack_t *old) {
    if (!is_readable(stack) || !is_readable(old))
        return ts_real(sigaltstack)(stack, old);
    struct ts_signal_mask mask;
    ts_system_block_signals(&mask);
    struct ts_recorder *recorder = ts_this_recorder;
    stack_t before, given = stack ? *stack : (stack_t){0};
    int result = ts_real(sigaltstack)(stack ? &given : NULL, &before);
    int error = errno;
    if (result == 0 && old)
        *old = ts_crash_stack_is(recorder, (uint64_t)before.ss_sp) ? (stack_t){.ss_flags = SS_DISABLE} : before;
    if (result == 0 && stack) {
        int none = given.ss_flags & SS_DISABLE;
        ts_recorder_set_alternate((uint64_t)given.ss_sp, none ? 0 : given.ss_size);
        if (none && recorder)
            ts_crash_stack_set(recorder);
        else
            ts_fatal_signals_alternate_is_set();
    }
    ts_system_restore_signals(&mask);
    errno = error;
    return result;
}
