/* Processes that become another program without libc's functions for it. */
#ifndef TRACESHIM_PRELOAD_PROCESS_HOOKS_H
#define TRACESHIM_PRELOAD_PROCESS_HOOKS_H

/*
 * What execve and execveat do here: returns only when it failed, as the kernel's own will then fail that is still to
 * be made. Async-signal-safe.
 */
void ts_process_hooks_try_execve(const char *path, char *const arguments[], char *const environment[]);
void ts_process_hooks_try_execveat(int directory, const char *path, char *const arguments[], char *const environment[],
                                   int flags);

#endif
