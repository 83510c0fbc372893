/*
 * Signals that end the process by their default. Where the program has none of its own, a handler of ours stands in the
 * default's place: it records the signal and where it struck, has the trace rendered, and lets the signal take its
 * course with its own siginfo, so that status, core file and parent see what they would have seen. The program is told
 * of the default, and what it installs replaces ours. So stands the handler of TRACE_SIGNAL (preload/pause.h) for that
 * signal's default, whatever this is.
 */
#ifndef TRACESHIM_PRELOAD_FATAL_SIGNALS_H
#define TRACESHIM_PRELOAD_FATAL_SIGNALS_H

#include <signal.h>
#include <stdint.h>

/*
 * At the end of the constructor: from now on defaults are stood in for. Those that the program ignores stay so.
 * `toggling`: the signal of TRACE_SIGNAL, 0: none.
 */
void ts_fatal_signals_begin(int toggling);

/*
 * Gives the defaults back for good: system calls, which the handler needs, are about to be forbidden. That of
 * TRACE_SIGNAL needs none, and stays. May be called when it has not begun.
 */
void ts_fatal_signals_end(void);

/* The program is about to have a handler of its own, which blocks the signals in `mask` while it runs. */
void ts_fatal_signals_handled(int signal, uint64_t mask);

/* Gives back one default, because the program goes past the interposed functions. */
void ts_fatal_signals_give_back(int signal);

/*
 * The program has set an alternate stack: its handlers that asked for one run there from now on. Until then they run
 * on the stack of their thread, as without ours (collector/crash_stack.h). Signals are blocked.
 */
void ts_fatal_signals_alternate_is_set(void);

/* Whether this handler is the one that stands in for defaults: it never goes back into the program's code. */
int ts_fatal_signals_is_ours(uint64_t handler);

/* How a signal stands that the program knows otherwise than the kernel. */
struct ts_fatal_default {
    uint64_t flags; /* of the program's SIG_DFL */
    uint64_t mask;
    int wants_alternate; /* its handler has asked for an alternate stack */
};
struct ts_fatal_default ts_fatal_signals_before(int signal);

/*
 * For sigaction: what is to be installed in place of `action` (`room` gives it a place); and, in what was installed
 * before, makes of ours what the program knows.
 */
const struct sigaction *ts_fatal_signals_replace(int signal, const struct sigaction *action, struct sigaction *room);
void ts_fatal_signals_hide(struct sigaction *old, const struct ts_fatal_default *before);

#endif
