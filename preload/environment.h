/* The environment that executed programs get, so that the session goes on in them, and the one that this program sees.
 */
#ifndef TRACESHIM_PRELOAD_ENVIRONMENT_H
#define TRACESHIM_PRELOAD_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * In the constructor, when a session runs: adds the session's variable to the program's environment, or, when children
 * are not to be recorded, takes the shim out of LD_PRELOAD. `library` is the shim's path as the loader has it.
 * `auxiliary`: the kernel's vector that lies behind the environment, for programs that look for it there; NULL: the
 * environment is not the kernel's any more.
 */
void ts_environment_begin(const char *library, int children, const uint64_t *auxiliary);

/* Whether `environment` lacks something that an executed program needs to join. Async-signal-safe, as those below. */
int ts_environment_lacks(char *const *environment);

/*
 * A copy of `environment` (NULL: empty) with what is missing (where that is the session, also the options that this
 * process was started with), in a mapping of its own: the caller may be on a small
 * stack. NULL when there is no memory. Where exec fails, ts_environment_free takes it back; in a vfork child, whose
 * exec succeeds, the mapping stays in the parent.
 */
char *const *ts_environment_complete(char *const *environment);
void ts_environment_free(char *const *environment);

/*
 * The same for the program's own environment while libc starts a shell with it: never freed, since other threads may
 * look at it, and made once as long as the variables stay the same.
 */
char **ts_environment_complete_own(char **environment);

/* Recording is paused, or not any more: programs that are executed from now on begin so. Async-signal-safe. */
void ts_environment_pause(int is_paused);

#endif
