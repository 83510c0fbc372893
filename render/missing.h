/* What a session should hold and does not, in words: for the verdict of `info` and for the line at a program's end. */
#ifndef TRACESHIM_RENDER_MISSING_H
#define TRACESHIM_RENDER_MISSING_H

#include "render/session.h"
#include "render/text_list.h"

/* After a replay. Empty: nothing is missing. Texts may hold any bytes that a trace holds. */
void ts_missing_find(struct ts_text_list *missing, const struct ts_session *session);

/*
 * Adds what a person was told otherwise when the program ran: calls that the recorder could not reach, files that
 * cannot be read.
 */
void ts_missing_find_told(struct ts_text_list *missing, const struct ts_session *session);

#endif
