/* Where `traceshim run` finds the library before the program starts, and its trace after it ended. */
#ifndef TRACESHIM_RENDER_RUN_PLACES_H
#define TRACESHIM_RENDER_RUN_PLACES_H

#include "render/error.h"

#include <sys/types.h>

/*
 * libtraceshim.so beside this executable, in ../lib/traceshim or ../lib. NULL and the error when it is not there, or
 * its path cannot stand in LD_PRELOAD. The caller frees it.
 */
char *ts_run_places_library(struct ts_error *error);

/*
 * The directory that holds <pid>.trace, of those that the library makes from TRACE_OUTPUT = `pattern`: the pattern
 * filled in, the same with -2, -3, ..., or under the temporary directory. NULL when there is none. The caller frees it.
 */
char *ts_run_places_trace(const char *pattern, pid_t pid);

#endif
