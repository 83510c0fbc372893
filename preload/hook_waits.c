#include "preload/hook_waits.h"
#include "collector/recorder_hook.h"
#include "preload/hooks.h"

#include <errno.h>
#include <pthread.h>

/* Of __kind (glibc, nptl/pthreadP.h); part of the ABI, since initializers have it. */
#define PTHREAD_MUTEX_ROBUST_BIT 16

/* glibc's trylock leaves a robust mutex that is not recoverable locked, and the next call would wait for ever. */
static int is_robust(uint64_t mutex) {
#ifdef __GLIBC__
    return ((const pthread_mutex_t *)mutex)->__data.__kind & PTHREAD_MUTEX_ROBUST_BIT;
#else
    return 0;
#endif
}

int ts_hook_try(ts_hook_try_function *function, const struct ts_hook_signature *signature,
                const struct ts_hook_registers *registers, int takes_mutex, uint64_t *result) {
    int before = errno;
    if (takes_mutex && is_robust(registers->arguments[0]))
        return 0;
    if (signature->options & TS_HOOK_CANCEL)
        pthread_testcancel(); /* the try is no cancellation point, the call is one also where it does not wait */
    int tried = function(registers->arguments[0]);
    *result = (uint32_t)tried;
    /* EOWNERDEAD: the lock is held, and its state must be mended. Other failures are for the call to find out itself.
     */
    if (tried == 0 || (signature->failure == TS_FAILS_ERRNO && tried == EOWNERDEAD))
        return 1;
    errno = before;
    return 0;
}

TS_HOT int ts_hook_try_quickly(uint64_t first_argument, uint32_t number) {
    const struct ts_hook *hook = &ts_hooks[number];
    if (!hook->try_first || (hook->behaviour & TS_HOOK_TAKES_MUTEX && is_robust(first_argument)))
        return EBUSY;
    return hook->try_first(first_argument);
}

int ts_hook_is_tried_quickly(const struct ts_hook_signature *signature) {
    return signature->try_symbol_bytes && signature->argument_count <= 4 && !signature->stack_bytes &&
           !(signature->options & TS_HOOK_CANCEL) &&
           (signature->failure == TS_FAILS_ERRNO || signature->failure == TS_FAILS_NONZERO);
}
