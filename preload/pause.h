/*
 * TRACE_START and TRACE_SIGNAL: recording of this process is paused, or goes on, at each delivery of a signal. What is
 * in the collector's hands: collector/recorder_pause.h. Here follows what would cost the program something for nothing:
 * values and callers of hooked calls, counts of executed code. And programs that are executed begin as this one stands.
 */
#ifndef TRACESHIM_PRELOAD_PAUSE_H
#define TRACESHIM_PRELOAD_PAUSE_H

#include <signal.h>

/* In the constructor, when the trace is mapped and the session's variable is set. */
void ts_pause_begin(int is_paused);

/* The handler; preload/fatal_signals.c installs it in the default's place. All signals are blocked. */
void ts_pause_on_signal(int signal, siginfo_t *information, void *context);

/* Tells a person, once, that the signal does not come to us: `why` goes on behind its number. */
void ts_pause_say_untaken(int signal, const char *why);

#endif
