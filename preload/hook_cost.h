/* What a hooked call costs on this machine: calls of a function that does nothing, through a stub, on a buffer that no
 * reader sees. */
#ifndef TRACESHIM_PRELOAD_HOOK_COST_H
#define TRACESHIM_PRELOAD_HOOK_COST_H

#include <stdint.h>

/* Thousandths of a nanosecond per call, with two arguments and a result; 0 when it cannot be measured. */
uint64_t ts_hook_cost_measure(void);

#endif
