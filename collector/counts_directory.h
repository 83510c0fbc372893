/* Where a thread finds its counts: the directories, who owns them, and how they grow. For collector/counts.c. */
#ifndef TRACESHIM_COLLECTOR_COUNTS_DIRECTORY_H
#define TRACESHIM_COLLECTOR_COUNTS_DIRECTORY_H

#include "collector/counts.h"

/* Of a thread that has ended, or new. NULL: no memory. */
struct ts_counts *ts_counts_directory_take(void);
void ts_counts_directory_give(struct ts_counts *counts);

/* The slot with this key; NULL: none. Async-signal-safe. */
const struct ts_counts_slot *ts_counts_directory_find(const struct ts_counts *counts, uint64_t key);

/* Signals are blocked. Sees to it that another slot can be added. 0, or -1: no memory. */
int ts_counts_directory_make_room(struct ts_counts *counts);
void ts_counts_directory_add(struct ts_counts *counts, uint64_t key, uint64_t record);

/* Wipes what the kernel has not wiped. */
void ts_counts_directory_after_fork(void);

#endif
