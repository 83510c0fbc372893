/*
 * The records that stand at the front of a trace file, put together in private memory at start, before the file exists.
 * Single-threaded.
 */
#ifndef TRACESHIM_COLLECTOR_PREAMBLE_H
#define TRACESHIM_COLLECTOR_PREAMBLE_H

#include <stdint.h>

struct ts_preamble {
    uint8_t *bytes;
    uint64_t used;
    uint64_t size;
};

/*
 * Appends a record: its struct (`head` in it is set here), then up to two byte strings, each padded to a word. Left out
 * when there is no memory.
 */
void ts_preamble_add(struct ts_preamble *preamble, uint32_t type, const void *record, uint32_t record_bytes,
                     const void *first, uint32_t first_bytes, const void *second, uint32_t second_bytes);

void ts_preamble_add_metadata(struct ts_preamble *preamble, uint32_t key, const void *value, uint32_t bytes);

void ts_preamble_free(struct ts_preamble *preamble);

#endif
