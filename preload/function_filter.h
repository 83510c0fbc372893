/*
 * TRACE_FUNCTIONS: which instrumented functions are recorded. Resolved when a module is found, from its symbol table;
 * at a call it is one bit, indexed by the address.
 */
#ifndef TRACESHIM_PRELOAD_FUNCTION_FILTER_H
#define TRACESHIM_PRELOAD_FUNCTION_FILTER_H

#include <stdint.h>

/* One bit for 16 bytes of code, 16 MiB before addresses share bits; static, so that a test needs no pointer. */
#define TS_FUNCTION_FILTER_BITS (1u << 20)
/* Set: no function with this index is wanted. Without TRACE_FUNCTIONS no page of it is written. */
extern uint8_t ts_function_filter_unwanted[TS_FUNCTION_FILTER_BITS / 8];
/* Set: functions of both kinds share this index; the exact list decides. */
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

/* At start. `globs` as in TRACE_FUNCTIONS, NULL: every function is wanted. It must stay where it is. */
void ts_function_filter_begin(const char *globs);

/* Whether TRACE_FUNCTIONS selects at all. */
int ts_function_filter_is_on(void);

/*
 * Reads the function symbols of the ELF file at `path`, loaded with `bias`, and sets their bits. Code of an
 * instrumented module whose symbols cannot be read is wanted unless TRACE_FUNCTIONS begins by naming something. Not
 * while another thread runs it. Returns the number of functions that are wanted, -1 when the file cannot be read.
 */
int64_t ts_function_filter_add_module(const char *path, uint64_t bias, uint64_t low, uint64_t high);

#endif
