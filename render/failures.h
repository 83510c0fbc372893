/*
 * What failed, for a first look: calls that failed grouped by function and error, one call of each shown. Signals that
 * ended a process are told elsewhere (info.h). Memory is bound by TS_FAILURES_KINDS_MOST.
 */
#ifndef TRACESHIM_RENDER_FAILURES_H
#define TRACESHIM_RENDER_FAILURES_H

#include "render/session.h"

#include <stdbool.h>
#include <stdio.h>

#define TS_FAILURES_KINDS_MOST 256u

/*
 * Replays the session and writes at most `most` lines `traceshim: failed: name {scope} [k=v, ...], 3 times`. Errors by
 * which programs look for things (ENOENT, EAGAIN, ...) come last, else what failed least often is first.
 */
void ts_failures_write(struct ts_session *session, size_t most, bool colour, FILE *out);

#endif
