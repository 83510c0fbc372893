#include "collector/text_shown.h"

#include <stdint.h>

/* Bytes of the UTF-8 character at `string`, 0: none (RFC 3629). Its NUL ends every sequence. */
static unsigned decode(const unsigned char *string, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = string[0];
    unsigned bytes = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
    *character = bytes == 1 ? first : first & (0x7fu >> bytes);
    for (unsigned i = 1; i < bytes; i++) {
        if ((string[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (string[i] & 0x3f);
    }
    int is_surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return bytes && *character >= least[bytes] && *character <= 0x10ffff && !is_surrogate ? bytes : 0;
}

/* As in render/text_escape.c. */
static int changes_display(uint32_t character) {
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
           (character >= 0x200e && character <= 0x200f) || (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xfeff;
}

void ts_text_add_shown(struct ts_text *text, const char *string) {
    while (*string) {
        uint32_t character;
        unsigned bytes = decode((const unsigned char *)string, &character);
        int plain = bytes && !changes_display(character);
        if (text->used + (plain ? bytes : 1) >= text->size) { /* no half of a character */
            text->cut = 1;
            return;
        }
        ts_text_add_bytes(text, plain ? string : "?", plain ? bytes : 1);
        string += bytes ? bytes : 1;
    }
}
