/* What a session recorded, and what it did not: the completeness certificate. */
#ifndef TRACESHIM_RENDER_INFO_H
#define TRACESHIM_RENDER_INFO_H

#include "render/session.h"

#include <stdio.h>

/*
 * Replays the session and writes `key: value` lines: processes (command, how each ended), threads, calls, unfinished,
 * unwound, hooks (bound, called, never called, by pack), lost (with reason and time range), dropped (windows, calls,
 * time range), misnested, damaged, modules (with build-id, and why names are missing), metadata (host, options, notes),
 * clock (kind, rate, worst residual of its pairs in ns), size (used, per call), own cost.
 */
int ts_info_write(struct ts_session *session, FILE *out, struct ts_error *error);

/* One or two lines for a person at program exit: only what is missing or doubtful; writes nothing when all is well. */
void ts_info_write_summary(const struct ts_session *session, FILE *out);

#endif
