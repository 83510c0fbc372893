/*
 * Text from hostile files, made safe for a terminal and for one line: control characters (C0, DEL, C1), line and
 * paragraph separators, characters that reverse the direction of text, and bytes that are no UTF-8 are written as
 * `\n`, `\t`, `\r`, `\x1b` or `\u202e`. Everything else goes out as it is.
 */
#ifndef TRACESHIM_RENDER_TEXT_ESCAPE_H
#define TRACESHIM_RENDER_TEXT_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether a terminal does anything with this character but show it: those named above, which all fit into 16 bits. */
bool ts_text_changes_display(uint32_t character);

/* A name, without quotes. A backslash stays as it is. */
void ts_text_write_name(FILE *out, const char *name);

/* A value: in single quotes, in double quotes where it holds a single one; backslash and the quote are escaped. */
void ts_text_write_quoted(FILE *out, const char *value);

/*
 * A field of a CSV file: in double quotes, a double quote doubled (RFC 4180). A single quote comes before one that a
 * spreadsheet would take for a formula.
 */
void ts_text_write_csv(FILE *out, const char *value);

#endif
