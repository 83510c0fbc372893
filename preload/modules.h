/*
 * The objects of the process: who is mapped where, which of them call the instrumentation hooks, and the patching of
 * those calls. Scans run inside dl_iterate_phdr's callback, under the loader's own lock: a walk beside dlclose crashes.
 */
#ifndef TRACESHIM_PRELOAD_MODULES_H
#define TRACESHIM_PRELOAD_MODULES_H

#include "collector/preamble.h"
#include "preload/unwind_table.h"

struct link_map;

struct ts_modules_summary {
    uint32_t modules;
    uint32_t instrumented; /* that call the hooks, and are patched */
    uint32_t refused;      /* whose slots could not be made writable */
    int own_hooks;         /* the program brings its own __cyg_profile_func_enter: left alone */
    uint32_t nameless;     /* that TRACE_FUNCTIONS leaves out since their functions have no names */
};
#define TS_MODULES_NAMELESS                                                                                            \
    "TRACE_FUNCTIONS names functions, and a module has no names (stripped): none of it is recorded"

/*
 * In the constructor: records every module in the preamble; `patch` false: looks only (level 0 does not even come
 * here).
 */
void ts_modules_begin(struct ts_preamble *preamble, struct ts_modules_summary *summary);

/* Points the callers' slots at the hooks. After ts_modules_begin, when the trace is ready. */
void ts_modules_patch(struct ts_modules_summary *summary);

/* After dlopen and dlclose: records and patches what has come, records what has gone. Not in a signal handler. */
void ts_modules_rescan(void);

/* As at a scan, also the instrumented modules that are patched: for the hooks that are right now. Not in a handler. */
void ts_modules_patch_again(void);

/* Whether `address` lies in a module of the base namespace, as of the last scan. */
int ts_modules_holds(uint64_t address);

/*
 * The scan's lock, for who looks at struct ts_module or makes hooks; 0: not got, after some patience. Not to be held
 * where the loader is called.
 */
int ts_modules_lock(void);
void ts_modules_unlock(void);

/* A module that came since ts_modules_generation() returned `before` was opened itself, not with another. */
uint32_t ts_modules_generation(void);
void ts_modules_opened(const struct link_map *handle, uint32_t before);

/*
 * The unwind table of the module that `address`, in mapped code, belongs to. 0, or -1: no such module.
 * Async-signal-safe, and beside scans.
 */
int ts_modules_unwind_table(uint64_t address, struct ts_unwind_table *table);

#endif
