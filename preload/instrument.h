/* The receivers of -finstrument-functions entry and exit. */
#ifndef TRACESHIM_PRELOAD_INSTRUMENT_H
#define TRACESHIM_PRELOAD_INSTRUMENT_H

#include "collector/clock.h"

#include <stdint.h>

/* What compilers' calls bind to by name: a bare return. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

typedef void ts_instrument_hook(void *function, void *call_site);

struct ts_instrument_hooks {
    ts_instrument_hook *enter;
    ts_instrument_hook *exit;
};

/*
 * The pair that does what is asked and no more: which clock; whether options limit what is recorded (TRACE_FUNCTIONS,
 * TRACE_DEPTH, TRACE_MIN_DURATION); whether the calling module's addresses need all their bits.
 */
struct ts_instrument_hooks ts_instrument_choose(enum ts_clock_source source, int limited, int wide);

#endif
