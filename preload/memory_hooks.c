/* The program locks its memory: the trace's pages are not part of what it means. */
#include "collector/recorder_attach.h"
#include "collector/trace_map.h"
#include "preload/export.h"
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
