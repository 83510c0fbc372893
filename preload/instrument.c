#include "preload/instrument.h"
#include "collector/recorder.h"
#include "frame.h"
#include "preload/function_filter.h"

/* First event of a thread, or a frame on a stack that the recorder does not know as current: then it is made so first.
 */
__attribute__((cold, noinline)) static void enter_elsewhere(uint64_t function, uint64_t call_site,
                                                            const uint64_t *frame, uint64_t pointer, uint64_t clock,
                                                            int wide) {
    uint64_t end = ts_recorder_stack_end((uint64_t)frame, clock);
    uint64_t cfa = ts_frame_find_cfa(frame, pointer, call_site, end);
    uint64_t site = ts_frame_hook_return(frame) << 32 | (uint32_t)call_site;
    struct ts_recorder *recorder = ts_this_recorder;
    int known = recorder && ts_recorder_knows_stack(recorder, (uint64_t)frame);
    if (known && wide)
        ts_recorder_enter(recorder, function, site, cfa, (uint64_t)frame, ts_clock_now(), 1, 1);
    else if (known)
        ts_recorder_enter(recorder, function, site, cfa, (uint64_t)frame, ts_clock_now(), 1, 0);
    else if (wide)
        ts_recorder_enter_slow_wide(function, site, cfa, (uint64_t)frame, clock);
    else
        ts_recorder_enter_slow(function, site, cfa, (uint64_t)frame, clock, NULL);
}

/* Frames that no hint tells yet, or only by more steps. A call of its own, last in the hook: it saves nothing. */
static inline __attribute__((always_inline)) void enter_far(uint64_t function, uint64_t call_site,
                                                            const uint64_t *frame, uint64_t pointer, uint64_t clock,
                                                            int limited, int wide) {
    struct ts_recorder *recorder = ts_this_recorder;
    uint64_t cfa = ts_frame_find_cfa(frame, pointer, call_site, recorder->stack_low + recorder->stack_bytes);
    uint64_t site = ts_frame_hook_return(frame) << 32 | (uint32_t)call_site;
    ts_recorder_enter(recorder, function, site, cfa, (uint64_t)frame, clock, limited, wide);
}

typedef void enter_far_function(uint64_t function, uint64_t call_site, const uint64_t *frame, uint64_t pointer,
                                uint64_t clock);

static inline __attribute__((always_inline)) void enter(uint64_t function, uint64_t call_site, const uint64_t *frame,
                                                        enum ts_clock_source source, int limited, int wide,
                                                        enter_far_function *far) {
    if (limited && !ts_function_filter_wants(function))
        return;
    uint64_t clock = ts_clock_read(source);
    struct ts_recorder *recorder = ts_this_recorder;
    if (TS_UNLIKELY(!recorder) || TS_UNLIKELY(!ts_recorder_knows_stack(recorder, (uint64_t)frame))) {
        enter_elsewhere(function, call_site, frame, ts_frame_pointer(frame), clock, wide);
        return;
    }
    uint64_t cfa = ts_frame_near_cfa(frame, call_site, recorder->stack_low + recorder->stack_bytes);
    if (TS_UNLIKELY(!cfa)) {
        far(function, call_site, frame, ts_frame_pointer(frame), clock);
        return;
    }
    uint64_t site = ts_frame_hook_return(frame) << 32 | (uint32_t)call_site;
    ts_recorder_enter(recorder, function, site, cfa, (uint64_t)frame, clock, limited, wide);
}

static inline __attribute__((always_inline)) void leave(uint64_t function, uint64_t call_site, const uint64_t *frame,
                                                        enum ts_clock_source source, int limited) {
    if (limited && !ts_function_filter_wants(function))
        return;
    uint64_t clock = ts_clock_read(source);
    ts_recorder_exit(function, ts_frame_hook_cfa(frame), ts_frame_hook_return(frame) == call_site, clock, limited);
}

#define FRAME ((const uint64_t *)__builtin_frame_address(0))

#define VARIANTS(X)                                                                                                    \
    X(plain, TS_CLOCK_SOURCE_CPU, 0, 0)                                                                                \
    X(limited, TS_CLOCK_SOURCE_CPU, 1, 0)                                                                              \
    X(wide, TS_CLOCK_SOURCE_CPU, 0, 1)                                                                                 \
    X(wide_limited, TS_CLOCK_SOURCE_CPU, 1, 1)                                                                         \
    X(system, TS_CLOCK_SOURCE_SYSTEM, 0, 0)                                                                            \
    X(system_limited, TS_CLOCK_SOURCE_SYSTEM, 1, 0)                                                                    \
    X(system_wide, TS_CLOCK_SOURCE_SYSTEM, 0, 1)                                                                       \
    X(system_wide_limited, TS_CLOCK_SOURCE_SYSTEM, 1, 1)

#define X(name, source, limited, wide)                                                                                 \
    __attribute__((noinline)) static void enter_far_##name(uint64_t function, uint64_t call_site,                      \
                                                           const uint64_t *frame, uint64_t pointer, uint64_t clock) {  \
        enter_far(function, call_site, frame, pointer, clock, limited, wide);                                          \
    }                                                                                                                  \
    static void enter_##name(void *function, void *call_site) {                                                        \
        enter((uint64_t)function, (uint64_t)call_site, FRAME, source, limited, wide, enter_far_##name);                \
    }                                                                                                                  \
    static void exit_##name(void *function, void *call_site) {                                                         \
        leave((uint64_t)function, (uint64_t)call_site, FRAME, source, limited);                                        \
    }
VARIANTS(X)
#undef X

struct ts_instrument_hooks ts_instrument_choose(enum ts_clock_source source, int limited, int wide) {
#define X(name, its_source, its_limited, its_wide)                                                                     \
    if (source == its_source && !!limited == its_limited && !!wide == its_wide)                                        \
        return (struct ts_instrument_hooks){enter_##name, exit_##name};
    VARIANTS(X)
#undef X
    return (struct ts_instrument_hooks){ts_instrument_nothing, ts_instrument_nothing};
}
