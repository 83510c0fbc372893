/* What was to be recorded and is not, for `traceshim info`: an UNSEEN record each, besides what is said on stderr. */
#ifndef TRACESHIM_PRELOAD_UNSEEN_H
#define TRACESHIM_PRELOAD_UNSEEN_H

/* "what: why", both for people. When the trace is ready; not in a signal handler. */
void ts_unseen(const char *what, const char *why);

#endif
