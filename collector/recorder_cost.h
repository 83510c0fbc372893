/* What one recorded event costs on this machine: the hot path, run on a buffer that no reader sees. */
#ifndef TRACESHIM_COLLECTOR_RECORDER_COST_H
#define TRACESHIM_COLLECTOR_RECORDER_COST_H

#include <stdint.h>

/* Thousandths of a nanosecond per event, the clock read included; 0 when it cannot be measured. Takes about 100 us. */
uint64_t ts_recorder_cost_measure(void);

/* The same per call of `call`, whatever it makes the recorder of this thread write: less than 150 bytes a time. */
uint64_t ts_recorder_cost_of(void (*call)(void));

#endif
