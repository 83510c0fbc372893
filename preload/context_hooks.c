/* The program makes contexts with stacks of their own: arch/<cpu>/context.S receives the call. */
#include "preload/context_hooks.h"
#include "collector/stacks.h"

void ts_context_made(const ucontext_t *context) {
    ts_stacks_note((uint64_t)context->uc_stack.ss_sp, context->uc_stack.ss_size);
}
