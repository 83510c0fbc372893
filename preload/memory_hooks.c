/*
 * The program locks its memory: the trace's pages are not part of what it means. It takes away access to pages: those
 * are none that strings may be read from without asking the kernel (preload/readable.h).
 */
#include "collector/recorder_attach.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "preload/export.h"
#include "preload/readable.h"
#include "preload/real.h"

#include <errno.h>
#include <sys/mman.h>

TS_EXPORT int mlockall(int flags) {
    ts_recorder_before_lock();
    int result = ts_real(mlockall)(flags);
    int error = errno;
    ts_trace_map_unlock();
    errno = error;
    return result;
}

/* An allocator may call this while it begins, when nothing may be looked up: then the kernel is called instead. */
TS_EXPORT int mprotect(void *address, size_t bytes, int protection) {
    if (!(protection & PROT_READ))
        ts_readable_taken_away((uint64_t)address, bytes);
    if (ts_real_functions.mprotect)
        return ts_real_functions.mprotect(address, bytes, protection);
    int64_t result = ts_system_mprotect(address, bytes, protection);
    if (ts_system_failed(result))
        errno = (int)-result;
    return ts_system_failed(result) ? -1 : 0;
}

/* Keys take away reading by what a register says. */
TS_EXPORT int pkey_mprotect(void *address, size_t bytes, int protection, int key) {
    if (!(protection & PROT_READ) || key != -1)
        ts_readable_taken_away((uint64_t)address, bytes);
    if (ts_real(pkey_mprotect))
        return ts_real_functions.pkey_mprotect(address, bytes, protection, key);
    errno = ENOSYS;
    return -1;
}
