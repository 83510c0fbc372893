/* The record of a signal that ends the process: what can be known at that moment, for the renderer to unwind. */
#ifndef TRACESHIM_PRELOAD_CRASH_H
#define TRACESHIM_PRELOAD_CRASH_H

#include <signal.h>

/*
 * In the signal's handler, with all signals blocked; no two threads at once with `with_stack`, which copies the stack's
 * pointers as well. Needs no lock and no memory but its own: what the signal has interrupted may hold any.
 */
void ts_crash_record(int signal, const siginfo_t *information, const void *context, int with_stack);

#endif
