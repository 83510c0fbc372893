/*
 * What is recorded of exceptions, from where they begin and where they are caught (preload/hook_observers.h). From
 * level 3 on also what they are, and those that other languages raise through the same unwinder.
 */
#ifndef TRACESHIM_PRELOAD_EXCEPTION_HOOKS_H
#define TRACESHIM_PRELOAD_EXCEPTION_HOOKS_H

#include "hook_stub.h"

struct ts_module;

/* Once, before modules are patched: records say what an exception is. */
void ts_exception_hooks_detail(void);
int ts_exception_hooks_are_detailed(void);

/* A module that catches: the run-time library of a language, as far as its catches can be seen. Under the scan's lock.
 */
void ts_exception_runtime_known(const struct ts_module *module);

/* Observers of __cxa_throw, __cxa_rethrow, __cxa_begin_catch. */
uint64_t ts_exception_thrown(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame);
uint64_t ts_exception_rethrown(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame);
uint64_t ts_exception_caught(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame);
/* Of _Unwind_RaiseException and _Unwind_Resume_or_Rethrow, which those lead to, and what other languages do. */
uint64_t ts_exception_raised(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame);
uint64_t ts_exception_raised_again(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame);

#endif
