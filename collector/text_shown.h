/* Text that others gave (paths, options), on its way to a terminal. */
#ifndef TRACESHIM_COLLECTOR_TEXT_SHOWN_H
#define TRACESHIM_COLLECTOR_TEXT_SHOWN_H

#include "collector/text.h"

/*
 * Adds `string` with a ? for each character that would do more than be shown (control characters, line feeds too; those
 * that separate lines or change the direction of text) and for each byte that is no UTF-8; cut before the
 * character that does not fit. Async-signal-safe.
 */
void ts_text_add_shown(struct ts_text *text, const char *string);

#endif
