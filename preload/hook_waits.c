#include "preload/hook_waits.h"

#include <errno.h>
#include <pthread.h>

int ts_hook_try(ts_hook_try_function *function, const struct ts_hook_signature *signature,
                const struct ts_hook_registers *registers, uint64_t *result) {
    int before = errno;
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
