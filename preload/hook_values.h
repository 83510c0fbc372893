/*
 * Arguments and results of hooked calls, as words of a record (collector/hook_signature.h). Nothing is read that may
 * not be there: a pointer of the program is followed only where its page is known or was probed.
 */
#ifndef TRACESHIM_PRELOAD_HOOK_VALUES_H
#define TRACESHIM_PRELOAD_HOOK_VALUES_H

#include "collector/hook_signature.h"
#include "hook_stub.h"
#include "preload/hook_steps.h"

/*
 * Appends the arguments to `words`, of which `used` are taken, up to TS_VALUES_MOST; returns how many are then. errno
 * is kept.
 */
uint32_t ts_hook_values_of_arguments(const struct ts_hook_steps *steps, const struct ts_hook_signature *signature,
                                     const struct ts_hook_registers *registers, const struct ts_hook_frame *frame,
                                     uint32_t *words, uint32_t used);

/* Words of a RESULT by its step, not OTHER; 0: a plain EXIT says as much. Notes what the call did to descriptors. */
uint32_t ts_hook_values_of_number(const struct ts_hook_steps *steps, const struct ts_hook_registers *registers,
                                  uint64_t result, uint32_t *words);
/* The same as the signature says. */
uint32_t ts_hook_values_of_result(const struct ts_hook_steps *steps, const struct ts_hook_signature *signature,
                                  const struct ts_hook_registers *registers, const struct ts_hook_frame *frame,
                                  uint64_t result, uint32_t *words);

#endif
