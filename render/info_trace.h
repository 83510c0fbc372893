/* The part of `info` that is told for each trace file. */
#ifndef TRACESHIM_RENDER_INFO_TRACE_H
#define TRACESHIM_RENDER_INFO_TRACE_H

#include "render/session.h"

#include <stdio.h>

/* Clock, what was lost and dropped and when, and the metadata: `key: value` lines. */
void ts_info_write_trace(const struct ts_session *session, const struct ts_trace *trace, FILE *out);

#endif
