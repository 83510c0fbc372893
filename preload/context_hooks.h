#ifndef TRACESHIM_PRELOAD_CONTEXT_HOOKS_H
#define TRACESHIM_PRELOAD_CONTEXT_HOOKS_H

#include <ucontext.h>

/* Notes the stack of a context that makecontext is about to prepare. Async-signal-safe after the constructor. */
void ts_context_made(const ucontext_t *context);

#endif
