/*
 * What the shim says to a person: whole lines on stderr, by one write, only while descriptor 2 is the same open file as
 * at start (a program may have closed it and opened its data there), and not when TRACE_QUIET is set.
 */
#ifndef TRACESHIM_PRELOAD_MESSAGE_H
#define TRACESHIM_PRELOAD_MESSAGE_H

#include "collector/text.h"

/* In the constructor: remembers what descriptor 2 is. */
void ts_message_begin(int quiet);

/* Whether messages reach a person now. Async-signal-safe. */
int ts_message_possible(void);

/* The descriptor by which they do, 2 or the one that is kept; -1: they do not. Async-signal-safe. */
int ts_message_descriptor(void);

/*
 * The program begins to end: keeps stderr under another number, should it be closed before the last message (all of
 * coreutils close it in a handler of theirs).
 */
void ts_message_keep(void);

/* Writes `text`, which ends with a newline, and empties it. */
void ts_message_write(struct ts_text *text);

/* Writes "traceshim: " and up to three parts as one line; NULL parts are left out. */
void ts_message(const char *first, const char *second, const char *third);

#endif
