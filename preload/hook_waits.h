/*
 * Waits are recorded, locks are not: where a signature names a function that does the same without waiting, that one is
 * called first, and what can be had at once is neither recorded nor clocked.
 */
#ifndef TRACESHIM_PRELOAD_HOOK_WAITS_H
#define TRACESHIM_PRELOAD_HOOK_WAITS_H

#include "collector/hook_signature.h"
#include "hook_stub.h"

/* pthread_mutex_trylock and its like: they take what the call takes first. */
typedef int ts_hook_try_function(uint64_t first_argument);

/*
 * Makes the call if it need not wait: 1 and its result in *result; 0: it must be made. `takes_mutex`: the function is
 * pthread_mutex_trylock, which is not for robust ones. errno is kept.
 */
int ts_hook_try(ts_hook_try_function *function, const struct ts_hook_signature *signature,
                const struct ts_hook_registers *registers, int takes_mutex, uint64_t *result);

#endif
