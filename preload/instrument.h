/* The receivers of -finstrument-functions entry and exit. */
#ifndef TRACESHIM_PRELOAD_INSTRUMENT_H
#define TRACESHIM_PRELOAD_INSTRUMENT_H

#include "collector/clock.h"

#include <stdint.h>

typedef void ts_instrument_hook(void *function, void *call_site);

/*
 * What compilers' calls of __cyg_profile_func_enter and _exit bind to by name: a bare return. Not called by those names
 * here, since they lead to the program's own functions where it has some.
 */
ts_instrument_hook ts_instrument_nothing;

struct ts_instrument_hooks {
    ts_instrument_hook *enter;
    ts_instrument_hook *exit;
};

/*
 * The pair that does what is asked and no more: which clock; whether options limit what is recorded (TRACE_FUNCTIONS,
 * TRACE_DEPTH, TRACE_MIN_DURATION); whether the calling module's addresses need all their bits; and, by
 * ts_recorder_limits, whether call sites are recorded.
 */
struct ts_instrument_hooks ts_instrument_choose(enum ts_clock_source source, int limited, int wide);

#endif
