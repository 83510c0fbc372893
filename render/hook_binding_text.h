/* What a selection would hook of a program, for people and for programs. */
#ifndef TRACESHIM_RENDER_HOOK_BINDING_TEXT_H
#define TRACESHIM_RENDER_HOOK_BINDING_TEXT_H

#include "render/hook_binding.h"

#include <stdio.h>

/*
 * Columns: module that calls, function, module that defines it, signature (`-`: not known). Then, in lines of `#`, what
 * would not be seen, and why. Names are made safe for a terminal.
 */
void ts_hook_binding_text(const struct ts_hook_bindings *bindings, const char *program, const char *selection,
                          FILE *out);

/* Returns 0, or -1 and the error when it could not be written. */
int ts_hook_binding_json(const struct ts_hook_bindings *bindings, const char *program, const char *selection, FILE *out,
                         struct ts_error *error);

#endif
