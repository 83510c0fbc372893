/* Memory that the shim keeps until the process ends: what is small shares pages, since each page costs a fault. */
#ifndef TRACESHIM_COLLECTOR_KEPT_MEMORY_H
#define TRACESHIM_COLLECTOR_KEPT_MEMORY_H

#include <stddef.h>

/* Zeroed, aligned to 16 bytes; NULL when there is none. Thread-safe and async-signal-safe. */
void *ts_kept_memory(size_t bytes);

/* A copy; "" when there is no memory. */
char *ts_kept_text(const char *text, size_t length);

#endif
