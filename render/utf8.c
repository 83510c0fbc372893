#include "render/utf8.h"

unsigned ts_utf8_decode(const char *text, size_t left, uint32_t *character) {
    /* The smallest value that needs this many bytes. */
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};

    if (left == 0)
        return 0;
    uint8_t first = (uint8_t)text[0];
    if (first < 0x80) {
        *character = first;
        return 1;
    }
    unsigned length = first >= 0xc2 && first <= 0xdf   ? 2
                      : first >= 0xe0 && first <= 0xef ? 3
                      : first >= 0xf0 && first <= 0xf4 ? 4
                                                       : 0;
    if (length == 0 || length > left)
        return 0;
    uint32_t value = first & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        uint8_t next = (uint8_t)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3f);
    }
    if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *character = value;
    return length;
}
