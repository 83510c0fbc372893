/* The end of the process. */
#ifndef TRACESHIM_PRELOAD_FINISH_H
#define TRACESHIM_PRELOAD_FINISH_H

#include "collector/trace_format.h"
#include "preload/options.h"

/*
 * At the end of the constructor, which began at `start_ns` and at `cpu_ns` of the process's CPU time: registers for
 * every way out.
 */
void ts_finish_begin(const struct ts_options *options, uint64_t start_ns, uint64_t cpu_ns);

/* The status that quick_exit was called with: its handlers do not get it. */
void ts_finish_status(int status);

/*
 * The process is about to end: notes it in the trace and, when it is the session's first, renders. Once; later calls do
 * nothing. The renderer is invisible to the program: no SIGCHLD, nothing for its wait to reap, no descriptor kept open.
 */
void ts_finish(enum ts_end_reason reason, int status);

#endif
