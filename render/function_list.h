/*
 * The functions of an ELF file, and which of them TRACE_FUNCTIONS selects: for a person who tries globs, and for the
 * library, which asks when a module is loaded.
 */
#ifndef TRACESHIM_RENDER_FUNCTION_LIST_H
#define TRACESHIM_RENDER_FUNCTION_LIST_H

#include "render/symbols.h"

#include <stdio.h>

/*
 * A line for each function that `globs` selects (NULL: all of them), by address in the file, "+0000000000001139 main";
 * `all`: also for the others, with a minus. Names are those of tree and report, escaped as there.
 */
void ts_function_list_write(const struct ts_symbols *symbols, const char *globs, bool all, FILE *out);

#endif
