/*
 * libunwind, for frames that the walk by the modules' tables does not get over (stack_walk.h): code without tables, and
 * rules in forms that only a whole unwinder knows. Opened and warmed in the constructor at level 2 and above: opened
 * later it deadlocks with a constructor under dlopen, as a needed library its _Unwind_* would stand before the
 * program's own. It takes the loader's lock: it is never called in a signal handler.
 */
#ifndef TRACESHIM_PRELOAD_STACK_H
#define TRACESHIM_PRELOAD_STACK_H

#include "preload/stack_walk.h"

/* What it works in, all zero at first; kept for the next time. */
#define TS_STACK_MEMORY (40u << 10)

/* Whether a handler of this address runs no code of the program. */
typedef int ts_stack_is_harmless(uint64_t handler);

/* 0, or -1: it is not there. */
int ts_stack_begin(ts_stack_is_harmless *is_harmless);

/* libunwind's own calls are not to be hooked: whether it lies in [low, high). */
int ts_stack_is_in(uint64_t low, uint64_t high);

/*
 * As ts_stack_walk, of which LOST was the answer; signals are blocked. *refused is set where it was not asked, since a
 * signal handler may be running, or system calls are forbidden.
 */
enum ts_stack_step ts_stack_unwind(void *memory, struct ts_stack_place *place, uint64_t stack_end, uint64_t *slot,
                                   int *refused);

#endif
