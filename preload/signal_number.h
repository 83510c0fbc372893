/* Signals as options name them. */
#ifndef TRACESHIM_PRELOAD_SIGNAL_NUMBER_H
#define TRACESHIM_PRELOAD_SIGNAL_NUMBER_H

/* A number; a name with or without SIG; RTMIN, RTMIN+n, RTMAX, RTMAX-n. 0: it is none of these. */
int ts_signal_number(const char *text);

/* Whether TRACE_SIGNAL may be this one: it can be handled, tells of no crash, and is not libc's. */
int ts_signal_may_toggle(int signal);

#endif
