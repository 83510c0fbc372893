/*
 * Facts of the process that other windows need (modules, names, forks): written to control windows, by any thread.
 * Lock-free and async-signal-safe; records are PENDING until complete.
 */
#ifndef TRACESHIM_COLLECTOR_CONTROL_H
#define TRACESHIM_COLLECTOR_CONTROL_H

#include "collector/system.h"

#include <stdint.h>

/* A record with its strings; larger ones are dropped. */
#define TS_CONTROL_MAX_BYTES 131072u

/*
 * The record that tells who a forked child is, unless it is written. For who claims control windows itself. Signals are
 * blocked.
 */
void ts_control_introduce(void);

/*
 * Writes one record: its struct (`head` in it is set here), then up to two byte strings, each padded to a word (the
 * struct's own fields carry their sizes). Silently nothing when nothing is recorded or the place has no room.
 */
void ts_control_write(uint32_t type, const void *record, uint32_t record_bytes, const void *first, uint32_t first_bytes,
                      const void *second, uint32_t second_bytes);

/*
 * Many records in a row: signals are blocked once, which is most of what a short record costs. Between the two, by the
 * same thread, ts_control_add writes what ts_control_write would.
 */
void ts_control_begin(struct ts_signal_mask *mask);
void ts_control_add(uint32_t type, const void *record, uint32_t record_bytes, const void *first, uint32_t first_bytes,
                    const void *second, uint32_t second_bytes);
void ts_control_end(const struct ts_signal_mask *mask);

#endif
