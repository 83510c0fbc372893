/* Shell patterns: * any text, ? any character, [abc], [a-z], [!a]. No locale, no allocation; linear in the text. */
#ifndef TRACESHIM_COLLECTOR_GLOB_H
#define TRACESHIM_COLLECTOR_GLOB_H

#include <stddef.h>

/* Whether the whole of `text` matches the pattern of `length` bytes. */
int ts_glob_matches(const char *pattern, size_t length, const char *text);

/*
 * Whether a comma list of patterns selects `text`: one that begins with - excludes, the last match wins. A text that
 * nothing matches is selected when the first pattern excludes.
 */
int ts_glob_list_selects(const char *list, const char *text);

#endif
