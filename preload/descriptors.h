/*
 * What file descriptors refer to: a DESCRIPTOR record in the thread's window before the first hooked call that uses one
 * there, and again when the descriptor may refer to something else. Known by generations: calls that make, replace or
 * close a descriptor begin a new one. A descriptor that was returned for a path by a call in the same window is told by
 * that call: programs that open, read and close many files pay for no readlink. Async-signal-safe.
 */
#ifndef TRACESHIM_PRELOAD_DESCRIPTORS_H
#define TRACESHIM_PRELOAD_DESCRIPTORS_H

#include "collector/hook_signature.h"
#include "hook_stub.h"
#include "preload/hook_steps.h"

/* Sees to it that the thread's window tells what `fd` refers to. */
void ts_descriptors_describe(int fd);
void ts_descriptors_changed(int fd);

/* The innermost call, a hooked one that is about to end, has made `fd`; `path_at` as in ts_hook_steps. */
void ts_descriptors_made(int fd, uint32_t path_at);
/* After a hooked call: what it did to the descriptors among its arguments. */
void ts_descriptors_after(const struct ts_hook_signature *signature, const struct ts_hook_registers *registers);

/* The descriptors of libc's streams; -1: none. */
int ts_descriptors_of_file(void *file);
int ts_descriptors_of_directory(void *directory);

#endif
