/*
 * Stacks that the program made for contexts (makecontext). Threads share the list: a context may run on any of them.
 * Lock-free and async-signal-safe.
 */
#ifndef TRACESHIM_COLLECTOR_STACKS_H
#define TRACESHIM_COLLECTOR_STACKS_H

#include <stdint.h>

void ts_stacks_note(uint64_t low, uint64_t bytes);
/* The noted stack that holds `address`: 0 and its bounds; -1: none. */
int ts_stacks_find(uint64_t address, uint64_t *low, uint64_t *bytes);

#endif
