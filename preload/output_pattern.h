/* TRACE_OUTPUT as a path. Shared with `traceshim check`. */
#ifndef TRACESHIM_PRELOAD_OUTPUT_PATTERN_H
#define TRACESHIM_PRELOAD_OUTPUT_PATTERN_H

#include "collector/text.h"

#define TS_OUTPUT_DEFAULT "traceshim.%p"
/* Where the trace goes instead, below TMPDIR or, where that is not set, this. */
#define TS_OUTPUT_TEMPORARY "/tmp"

/*
 * Fills in %p (this process), %e (`executable`, a path), %h, %r and %%, and makes it absolute. Returns whether anything
 * but %% was to be filled in.
 */
int ts_output_pattern_fill(struct ts_text *path, const char *pattern, const char *executable, char *const *environment);

/* Sets `pattern` to the one in the temporary directory that `environment` names. */
void ts_output_pattern_temporary(struct ts_text *pattern, char *const *environment);

#endif
