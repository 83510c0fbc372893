/* UTF-8 decoding of bytes that may be anything: names come from files that nobody vouches for. */
#ifndef TRACESHIM_RENDER_UTF8_H
#define TRACESHIM_RENDER_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at `text`, `left` bytes long. Returns its length in bytes, 1 to 4, and sets *character; returns
 * 0 when the first byte starts no valid character (overlong forms, surrogates and values above U+10FFFF are invalid,
 * RFC 3629; so is a cut one), or `left` is 0.
 */
unsigned ts_utf8_decode(const char *text, size_t left, uint32_t *character);

#endif
