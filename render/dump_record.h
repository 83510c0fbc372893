/* One record as text. */
#ifndef TRACESHIM_RENDER_DUMP_RECORD_H
#define TRACESHIM_RENDER_DUMP_RECORD_H

#include "render/record.h"

#include <stdio.h>

/* Writes the record at `at` and a newline. *newest is the clock of the window so far, and moves as a reader's does. */
void ts_dump_record(enum ts_word word, const uint32_t *at, uint32_t words, uint64_t *newest, FILE *out);

#endif
