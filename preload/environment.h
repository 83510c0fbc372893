/* The environment that executed programs get, so that the session goes on in them, and the one that this program sees.
 */
#ifndef TRACESHIM_PRELOAD_ENVIRONMENT_H
#define TRACESHIM_PRELOAD_ENVIRONMENT_H

#include <stddef.h>

/*
 * In the constructor, when a session runs: adds the session's variable to the program's environment, or, when children
 * are not to be recorded, takes the shim out of LD_PRELOAD. `library` is the shim's path as the loader has it.
 */
void ts_environment_begin(const char *library, int children);

/* Whether `environment` lacks something that an executed program needs to join. Async-signal-safe, as those below. */
int ts_environment_lacks(char *const *environment);

/* Number of pointers that ts_environment_complete writes at most, the NULL included. */
size_t ts_environment_size(char *const *environment);

/* Copies the pointers of `environment` (NULL: empty) and adds what is missing. `preload` holds TS_ENVIRONMENT_PRELOAD
 * bytes. */
#define TS_ENVIRONMENT_PRELOAD 8192
void ts_environment_complete(char *const *environment, char **complete, char *preload);

#endif
