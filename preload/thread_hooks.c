/* The program makes and names threads. */
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/text.h"
#include "collector/trace_format.h"
#include "preload/export.h"
#include "preload/real.h"
#include "preload/thread_starts.h"

#include <errno.h>
#include <threads.h>

typedef int create_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument);
typedef int create_c_thread(thrd_t *thread, int (*function)(void *), void *argument);

/* Looked up when a program first makes a thread: most never do. NULL: there is none. */
#define REAL_CREATE(type, name)                                                                                        \
    ({                                                                                                                 \
        static type *found_;                                                                                           \
        type *real_ = __atomic_load_n(&found_, __ATOMIC_RELAXED);                                                      \
        if (!real_ && ts_real(dlsym)) {                                                                                \
            real_ = (type *)ts_real(dlsym)(RTLD_NEXT, name);                                                           \
            __atomic_store_n(&found_, real_, __ATOMIC_RELAXED);                                                        \
        }                                                                                                              \
        real_;                                                                                                         \
    })

/* What the new thread is to start as; NULL: as the program says, since nobody would draw an arrow from this thread. */
static struct ts_thread_start *prepare(void) {
    uint32_t maker = ts_process_fresh ? ts_recorder_thread_number() : 0;
    return maker && !ts_system_forbidden ? ts_thread_start_take(maker, ts_clock_now()) : NULL;
}

/* In the new thread. Both jump to the program's function, so that it is the first frame of its stack as without us. */
static void *start_thread(void *start) {
    struct ts_thread_start taken = ts_thread_start_use(start);
    return taken.function(taken.argument);
}

static int start_c_thread(void *start) {
    struct ts_thread_start taken = ts_thread_start_use(start);
    return taken.c_function(taken.argument);
}

TS_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                             void *argument) {
    create_thread *real = REAL_CREATE(create_thread, "pthread_create");
    if (!real)
        return ENOSYS;
    struct ts_thread_start *start = prepare();
    if (!start)
        return real(thread, attributes, function, argument);
    start->function = function;
    start->argument = argument;
    int result = real(thread, attributes, start_thread, start);
    if (result != 0)
        ts_thread_start_give(start);
    return result;
}

TS_EXPORT int thrd_create(thrd_t *thread, int (*function)(void *), void *argument) {
    create_c_thread *real = REAL_CREATE(create_c_thread, "thrd_create");
    if (!real)
        return thrd_error;
    struct ts_thread_start *start = prepare();
    if (!start)
        return real(thread, function, argument);
    start->c_function = function;
    start->argument = argument;
    int result = real(thread, start_c_thread, start);
    if (result != thrd_success)
        ts_thread_start_give(start);
    return result;
}

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
