/* Names of output formats as a person writes and reads them. */
#ifndef TRACESHIM_RENDER_FORMAT_NAMES_H
#define TRACESHIM_RENDER_FORMAT_NAMES_H

#include "render/error.h"
#include "render/formats.h"

#include <stdbool.h>

/* "tree, chrome, ...": every format there is. The caller frees it. */
char *ts_format_names(void);

/*
 * The formats of a comma list, each once, in order of the list; "none" names none, blanks count for nothing. Sets
 * *count; the caller frees the array, which is never NULL. For an unknown name `error` is filled and *unknown set to
 * true; the others still count.
 */
const struct ts_format **ts_format_names_parse(const char *list, size_t *count, bool *unknown, struct ts_error *error);

#endif
