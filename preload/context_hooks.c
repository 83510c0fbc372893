/*
 * The program makes stacks to run on: of contexts (arch/<cpu>/context.S receives the call) and of signal handlers. What
 * is not announced here, as by a bare system call, the recorder finds out by more steps.
 */
#include "preload/context_hooks.h"
#include "collector/recorder_attach.h"
#include "collector/stacks.h"
#include "collector/system.h"
#include "preload/export.h"
#include "preload/real.h"

#include <errno.h>
#include <signal.h>

void ts_context_made(const ucontext_t *context) {
    ts_stacks_note((uint64_t)context->uc_stack.ss_sp, context->uc_stack.ss_size);
}

/* Signals are blocked, lest a handler run on a stack that the kernel knows and the recorder does not. */
TS_EXPORT int sigaltstack(const stack_t *stack, stack_t *old) {
    struct ts_signal_mask mask;
    ts_system_block_signals(&mask);
    int result = ts_real(sigaltstack)(stack, old);
    int error = errno;
    if (result == 0 && stack)
        ts_recorder_set_alternate((uint64_t)stack->ss_sp, stack->ss_flags & SS_DISABLE ? 0 : stack->ss_size);
    ts_system_restore_signals(&mask);
    errno = error;
    return result;
}
