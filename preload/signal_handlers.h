/*
 * Level 3: a signal's delivery to a handler of the program's is a call, of that handler, with the signal, its code and
 * its sender. What the kernel calls is a stub (preload/hooks.h) whose function is the handler: one for each handler,
 * for good, so that who has its address may go on calling it. The program is told of its own handler, as it installed
 * it. Handlers that are installed past the interposed functions are not seen. Everything is async-signal-safe.
 */
#ifndef TRACESHIM_PRELOAD_SIGNAL_HANDLERS_H
#define TRACESHIM_PRELOAD_SIGNAL_HANDLERS_H

#include <signal.h>

/* In the constructor, before modules are patched. Without it the functions here change nothing. */
void ts_signal_handlers_begin(void);

/* Whether what is installed for the signal has SA_SIGINFO from us: it keeps it when SA_RESETHAND takes the handler. */
int ts_signal_handlers_before(int signal);

/* For sigaction: what is to be installed in place of `action` (`room` gives it a place); NULL as it is. */
const struct sigaction *ts_signal_handlers_replace(int signal, const struct sigaction *action, struct sigaction *room);

/* Makes of what was installed what the program knows. */
void ts_signal_handlers_hide(struct sigaction *old, int before);

/* libc has installed this handler of the program's, which is replaced now. */
void ts_signal_handlers_adopt(int signal, void (*handler)(int));

/* The program's own handler is installed again, because the program goes past the interposed functions. */
void ts_signal_handlers_give_back(int signal);

#endif
