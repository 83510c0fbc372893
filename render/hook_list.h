/* What can be hooked by name: the packs with their functions, and the kinds of arguments that signatures consist of. */
#ifndef TRACESHIM_RENDER_HOOK_LIST_H
#define TRACESHIM_RENDER_HOOK_LIST_H

#include "collector/hook_selection.h"
#include "render/error.h"

#include <stdio.h>

/*
 * Of the packs those functions that `selection` takes; NULL: all. Lines of `#` tell of a pack, the others are columns:
 * pack, function, signature.
 */
void ts_hook_list_text(const struct ts_hook_selection *selection, FILE *out);

/* The same as JSON. 0; -1 and the error when it cannot be written. */
int ts_hook_list_json(const struct ts_hook_selection *selection, FILE *out, struct ts_error *error);

/* Columns: kind, meaning. */
void ts_hook_list_kinds(FILE *out);

#endif
