#include "render/text_escape.h"

#include "render/utf8.h"

#include <string.h>

bool ts_text_changes_display(uint32_t character) {
    return character < 0x20 || (character >= 0x7f && character < 0xa0)           /* controls */
           || character == 0x61c || (character >= 0x200e && character <= 0x200f) /* direction marks */
           || (character >= 0x2028 && character <= 0x202e)                       /* separators, embeddings, overrides */
           || (character >= 0x2066 && character <= 0x2069)                       /* isolates */
           || character == 0xfeff;
}

static void write_escape(FILE *out, uint32_t character) {
    if (character == '\n')
        fputs("\\n", out);
    else if (character == '\t')
        fputs("\\t", out);
    else if (character == '\r')
        fputs("\\r", out);
    else
        fprintf(out, character < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)character);
}

/* `before` is written before each `quote`, and before itself. */
static void write_escaped(FILE *out, const char *text, char quote, char before) {
    size_t left = strlen(text);
    size_t plain = 0; /* bytes before `text` that are not written yet */

    while (left > 0) {
        uint32_t character;
        unsigned length = ts_utf8_decode(text, left, &character);
        bool escape = length == 0 || ts_text_changes_display(character);
        bool quoted = before && (*text == quote || *text == before);
        if (escape || quoted) {
            fwrite(text - plain, 1, plain, out);
            plain = 0;
        }
        if (quoted)
            putc(before, out);
        if (length == 0) {
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
            length = 1;
        } else if (escape) {
            write_escape(out, character);
        } else {
            plain += length;
        }
        text += length;
        left -= length;
    }
    fwrite(text - plain, 1, plain, out);
}

void ts_text_write_name(FILE *out, const char *name) {
    write_escaped(out, name, 0, 0);
}

void ts_text_write_quoted(FILE *out, const char *value) {
    char quote = strchr(value, '\'') ? '"' : '\'';
    putc(quote, out);
    write_escaped(out, value, quote, '\\');
    putc(quote, out);
}

void ts_text_write_csv(FILE *out, const char *value) {
    putc('"', out);
    if (*value && strchr("=+-@", *value))
        putc('\'', out);
    write_escaped(out, value, '"', '"');
    putc('"', out);
}
