/*
 * What a job launcher tells its processes, by environment variables only: no call into MPI, no message. A variable that
 * is set counts, whatever its value: rank 0 is a rank.
 */
#ifndef TRACESHIM_PRELOAD_JOB_H
#define TRACESHIM_PRELOAD_JOB_H

#include <stdint.h>

/* NULL: not a rank of a job. */
const char *ts_job_rank(char *const *environment);
const char *ts_job_size(char *const *environment);

/*
 * The trace id (and parent span) that this process belongs to: of TRACEPARENT (W3C), else one that all processes of the
 * job compute alike, else random.
 */
void ts_job_trace_id(char *const *environment, uint8_t trace_id[16], uint8_t parent_span_id[8]);

#endif
