/*
 * TRACE_FUNCTIONS: which instrumented functions are recorded. Resolved when a module is found, by the names that tree
 * and report show (preload/function_list.h); at a call it is one bit, indexed by the address.
 *
 * What has no name (a stripped module's own functions, shown as module+0x1139) is recorded where TRACE_FUNCTIONS would
 * select a name that none of its globs knows: when it begins by excluding, or has a `*`. A module of which the names
 * could not be asked for (the renderer is not there, cannot run or takes too long) is recorded whole, whatever
 * TRACE_FUNCTIONS says: what was asked for is then in the trace, with more than that beside it, and stderr says so.
 */
#ifndef TRACESHIM_PRELOAD_FUNCTION_FILTER_H
#define TRACESHIM_PRELOAD_FUNCTION_FILTER_H

#include "preload/function_list.h"

#include <stdint.h>

/* One bit for 16 bytes of code, 16 MiB before addresses share bits; static, so that a test needs no pointer. */
#define TS_FUNCTION_FILTER_BITS (1u << 20)
/* Set: no function with this index is wanted. Without TRACE_FUNCTIONS no page of it is written. */
extern uint8_t ts_function_filter_unwanted[TS_FUNCTION_FILTER_BITS / 8];
/* Set: functions of both kinds share this index; the modules' lists decide. */
extern uint8_t ts_function_filter_mixed[TS_FUNCTION_FILTER_BITS / 8];

int ts_function_filter_listed(uint64_t function);

static inline __attribute__((always_inline)) int ts_function_filter_wants(uint64_t function) {
    uint64_t index = function >> 4 & (TS_FUNCTION_FILTER_BITS - 1);
    unsigned bit = 1u << (index & 7);
    if (ts_function_filter_unwanted[index >> 3] & bit)
        return 0;
    if (__builtin_expect(ts_function_filter_mixed[index >> 3] & bit, 0))
        return ts_function_filter_listed(function);
    return 1;
}

/*
 * At start. `globs` as in TRACE_FUNCTIONS, NULL: every function is wanted. It must stay where it is. `timeout_seconds`
 * as in ts_function_list_begin.
 */
void ts_function_filter_begin(const char *globs, uint64_t timeout_seconds);

/* Whether TRACE_FUNCTIONS selects at all. */
int ts_function_filter_is_on(void);

/*
 * When a module was loaded, and no thread runs its code yet. 0, or -1 when none of it will be recorded since it has no
 * names. Under the scan's lock.
 */
int ts_function_filter_add_module(const struct ts_module *module);

/*
 * The same, where the list is there (NULL: every function is wanted), for code at low..high. What the list does not
 * have is wanted as `other` says.
 */
void ts_function_filter_add(const struct ts_function_list *list, uint64_t bias, uint64_t low, uint64_t high, int other);

#endif
