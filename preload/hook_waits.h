/*
 * Waits are recorded, locks are not: where a signature names a function that does the same without waiting, that one is
 * called first, and what can be had at once is neither recorded nor clocked.
 */
#ifndef TRACESHIM_PRELOAD_HOOK_WAITS_H
#define TRACESHIM_PRELOAD_HOOK_WAITS_H

#include "collector/hook_signature.h"
#include "hook_stub.h"

#include <stdint.h>

/* pthread_mutex_trylock and its like: they take what the call takes first. */
typedef int ts_hook_try_function(uint64_t first_argument);

/*
 * Makes the call if it need not wait: 1 and its result in *result; 0: it must be made. `takes_mutex`: the function is
 * pthread_mutex_trylock, which is not for robust ones. errno is kept.
 */
int ts_hook_try(ts_hook_try_function *function, const struct ts_hook_signature *signature,
                const struct ts_hook_registers *registers, int takes_mutex, uint64_t *result);

/*
 * The same at the least cost, for the function of stub `number`: 0 when its call has been made and has returned 0. The
 * first stubs call it (TS_HOOK_STUBS_TRIED), and ts_hook_call when it returns another number.
 */
int ts_hook_try_quickly(uint64_t first_argument, uint32_t number);

/* Whether that will do: a free lock is all there is to it, neither errno nor cancellation. */
int ts_hook_is_tried_quickly(const struct ts_hook_signature *signature);

#endif
