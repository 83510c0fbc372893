/*
 * Signals that end the process by their default. Where the program has none of its own, a handler of ours stands in the
 * default's place: it records the signal and where it struck, has the trace rendered, and lets the signal take its
 * course with its own siginfo, so that status, core file and parent see what they would have seen. The program is told
 * of the default, and what it installs replaces ours.
 */
#ifndef TRACESHIM_PRELOAD_FATAL_SIGNALS_H
#define TRACESHIM_PRELOAD_FATAL_SIGNALS_H

#include <signal.h>
#include <stdint.h>

/* At the end of the constructor: from now on defaults are stood in for. Those that the program ignores stay so. */
void ts_fatal_signals_begin(void);

/*
 * Gives the defaults back for good: system calls, which the handler needs, are about to be forbidden. May be called
 * when it has not begun.
 */
void ts_fatal_signals_end(void);

/* Gives back one default, because the program goes past the interposed functions. */
void ts_fatal_signals_give_back(int signal);

/*
 * For sigaction: what is to be installed in place of `action` (`room` gives it a place), and what the program is to be
 * told in place of `old`.
 */
const struct sigaction *ts_fatal_signals_replace(int signal, const struct sigaction *action, struct sigaction *room);
/* As it was before `replace`: see the caller. */
struct ts_fatal_default {
    uint64_t flags; /* of the program's SIG_DFL */
    uint64_t mask;
};
struct ts_fatal_default ts_fatal_signals_default(int signal);
void ts_fatal_signals_hide(struct sigaction *old, const struct ts_fatal_default *before);

#endif
