#include "preload/instrument.h"
#include "collector/recorder.h"
#include "preload/frame.h"
#include "preload/function_filter.h"

static inline __attribute__((always_inline)) uint64_t site_of(uint64_t hook_return, uint64_t call_site) {
    return hook_return << 32 | (uint32_t)call_site;
}

/* What level 2 writes behind the ENTER. */
static inline __attribute__((always_inline)) uint64_t behind(uint64_t call_site) {
    return ts_recorder_behind(TS_RECORD_CALL_SITE, call_site);
}

/*
 * An address in the running hook's frame, or where that would be, for `stack` as in struct ts_caller. It goes to the
 * functions below in the place of that, which is told from it: the hook then holds one number, and saves no register
 * for another.
 */
static inline __attribute__((always_inline)) uint64_t frame_below(uint64_t stack) {
    return stack - 16;
}

static inline __attribute__((always_inline)) uint64_t stack_above(uint64_t here) {
    return here + 16;
}

/* First event of a thread, or a frame on a stack that the recorder does not know as current: then it is made so first.
 */
__attribute__((cold, noinline)) static void enter_elsewhere(uint64_t function, uint64_t call_site, uint64_t clock,
                                                            uint64_t here, uint64_t pointer, uint64_t hook_return,
                                                            int wide) {
    struct ts_caller caller = {stack_above(here), pointer, hook_return};
    uint64_t site = site_of(hook_return, call_site);
    uint64_t cfa = ts_frame_find_cfa(&caller, call_site, ts_recorder_stack_end(here, clock));
    struct ts_recorder *recorder = ts_this_recorder;
    int known = recorder && ts_recorder_knows_stack(recorder, here);
    int has_behind = ts_recorder_limits.behind_bytes != 0;
    if (known && wide)
        ts_recorder_enter_with(recorder, function, site, cfa, here, ts_clock_now(), 1, 1, has_behind,
                               behind(call_site));
    else if (known)
        ts_recorder_enter_with(recorder, function, site, cfa, here, ts_clock_now(), 1, 0, has_behind,
                               behind(call_site));
    else if (wide)
        ts_recorder_enter_slow_wide(function, site, cfa, here, clock);
    else
        ts_recorder_enter_slow(function, site, cfa, here, clock, NULL);
}

/* Frames that no hint tells yet, or only by more steps. A call of its own, last in the hook: it saves nothing. */
static inline __attribute__((always_inline)) void enter_far(uint64_t function, uint64_t call_site, uint64_t clock,
                                                            struct ts_caller caller, int limited, int wide, int sites) {
    struct ts_recorder *recorder = ts_this_recorder;
    uint64_t cfa = ts_frame_find_cfa(&caller, call_site, recorder->stack_low + recorder->stack_bytes);
    ts_recorder_enter_with(recorder, function, site_of(caller.hook_return, call_site), cfa, frame_below(caller.stack),
                           clock, limited, wide, sites, behind(call_site));
}

/* The caller in parts (struct ts_caller), so that all arguments are in registers. */
typedef void enter_far_function(uint64_t function, uint64_t call_site, uint64_t clock, uint64_t here, uint64_t pointer,
                                uint64_t hook_return);

static inline __attribute__((always_inline)) void enter(uint64_t function, uint64_t call_site, ts_caller_here caller,
                                                        enum ts_clock_source source, int limited, int wide, int sites,
                                                        enter_far_function *far) {
    if (limited && !ts_function_filter_wants(function))
        return;
    uint64_t clock = ts_clock_read(source), here = frame_below(ts_caller_stack(caller));
    struct ts_recorder *recorder = ts_this_recorder;
    if (TS_UNLIKELY(!recorder) || TS_UNLIKELY(!ts_recorder_knows_stack(recorder, here))) {
        enter_elsewhere(function, call_site, clock, here, ts_caller_pointer(caller), ts_caller_hook_return(caller),
                        wide);
        return;
    }
    uint64_t cfa = ts_frame_near_cfa(caller, call_site, recorder->stack_low + recorder->stack_bytes);
    if (TS_UNLIKELY(!cfa)) {
        far(function, call_site, clock, here, ts_caller_pointer(caller), ts_caller_hook_return(caller));
        return;
    }
    uint64_t site = site_of(ts_caller_hook_return(caller), call_site);
    ts_recorder_enter_with(recorder, function, site, cfa, here, clock, limited, wide, sites, behind(call_site));
}

/* No recorder, or a slow path holds it. Told apart in here, so that the hook computes nothing for it. */
__attribute__((cold, noinline)) static void leave_without(uint64_t function, uint64_t call_site, uint64_t clock,
                                                          uint64_t stack, uint64_t hook_return) {
    ts_recorder_exit_slow(function, stack, hook_return == call_site, clock, NULL);
}

static inline __attribute__((always_inline)) void leave(uint64_t function, uint64_t call_site, ts_caller_here caller,
                                                        enum ts_clock_source source, int limited, int sites) {
    if (limited && !ts_function_filter_wants(function))
        return;
    uint64_t clock = ts_clock_read(source);
    if (TS_UNLIKELY(!ts_this_recorder)) {
        leave_without(function, call_site, clock, ts_caller_stack(caller), ts_caller_hook_return(caller));
        return;
    }
    ts_recorder_exit_with(function, ts_caller_stack(caller), ts_caller_hook_return(caller) == call_site, clock, limited,
                          sites);
}

/* Name, clock, limited, wide; `sites`: the call site is recorded (level 2). */
#define VARIANTS_WITH(X, sites, suffix)                                                                                \
    X(plain##suffix, TS_CLOCK_SOURCE_CPU, 0, 0, sites)                                                                 \
    X(limited##suffix, TS_CLOCK_SOURCE_CPU, 1, 0, sites)                                                               \
    X(wide##suffix, TS_CLOCK_SOURCE_CPU, 0, 1, sites)                                                                  \
    X(wide_limited##suffix, TS_CLOCK_SOURCE_CPU, 1, 1, sites)                                                          \
    X(system##suffix, TS_CLOCK_SOURCE_SYSTEM, 0, 0, sites)                                                             \
    X(system_limited##suffix, TS_CLOCK_SOURCE_SYSTEM, 1, 0, sites)                                                     \
    X(system_wide##suffix, TS_CLOCK_SOURCE_SYSTEM, 0, 1, sites)                                                        \
    X(system_wide_limited##suffix, TS_CLOCK_SOURCE_SYSTEM, 1, 1, sites)
#define VARIANTS(X) VARIANTS_WITH(X, 0, ) VARIANTS_WITH(X, 1, _with_sites)

#define X(name, source, limited, wide, sites)                                                                          \
    __attribute__((noinline)) static void enter_far_##name(uint64_t function, uint64_t call_site, uint64_t clock,      \
                                                           uint64_t here, uint64_t pointer, uint64_t hook_return) {    \
        enter_far(function, call_site, clock, (struct ts_caller){stack_above(here), pointer, hook_return}, limited,    \
                  wide, sites);                                                                                        \
    }                                                                                                                  \
    TS_FRAME_HOOK(enter_##name) {                                                                                      \
        enter(function, call_site, caller, source, limited, wide, sites, enter_far_##name);                            \
    }                                                                                                                  \
    TS_FRAME_HOOK(exit_##name) {                                                                                       \
        leave(function, call_site, caller, source, limited, sites);                                                    \
    }
VARIANTS(X)
#undef X

struct ts_instrument_hooks ts_instrument_choose(enum ts_clock_source source, int limited, int wide) {
    int sites = ts_recorder_limits.behind_bytes != 0;
#define X(name, its_source, its_limited, its_wide, its_sites)                                                          \
    if (source == its_source && !!limited == its_limited && !!wide == its_wide && sites == its_sites)                  \
        return (struct ts_instrument_hooks){enter_##name, exit_##name};
    VARIANTS(X)
#undef X
    return (struct ts_instrument_hooks){ts_instrument_nothing, ts_instrument_nothing};
}
