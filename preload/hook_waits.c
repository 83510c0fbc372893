#include "preload/hook_waits.h"

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
