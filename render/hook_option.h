/* TRACE_HOOKS as the command line reads it: the selection with its memory, and what is wrong with it as a text. */
#ifndef TRACESHIM_RENDER_HOOK_OPTION_H
#define TRACESHIM_RENDER_HOOK_OPTION_H

#include "collector/hook_selection.h"

/*
 * Parses `text`, which must outlive the selection. *wrong is NULL, or one line that names every entry that was left out
 * and why; the caller frees it, and the selection's rules.
 */
void ts_hook_option_parse(struct ts_hook_selection *selection, const char *text, char **wrong);

#endif
