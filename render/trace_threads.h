/* Finds the threads of a trace among its windows, and from their last records when each process was last seen. */
#ifndef TRACESHIM_RENDER_TRACE_THREADS_H
#define TRACESHIM_RENDER_TRACE_THREADS_H

#include "render/trace_facts.h"

/* Fills facts->threads and what of the processes follows from them; after the records were taken. */
void ts_trace_threads_read(struct ts_trace *trace, struct ts_facts *facts);

#endif
