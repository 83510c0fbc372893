/* The program names threads. */
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/text.h"
#include "collector/trace_format.h"
#include "preload/export.h"
#include "preload/real.h"

TS_EXPORT int pthread_setname_np(pthread_t thread, const char *name) {
    int result = ts_real(pthread_setname_np)(thread, name);
    if (result == 0) {
        uint64_t clock = ts_clock_now(), named = (uint64_t)thread;
        struct ts_record_thread_name record = {
            .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
            .thread_pointer = {(uint32_t)named, (uint32_t)(named >> 32)},
            .name_bytes = (uint32_t)ts_text_length(name),
        };
        ts_control_write(TS_RECORD_THREAD_NAME, &record, sizeof record, name, record.name_bytes, NULL, 0);
    }
    return result;
}
