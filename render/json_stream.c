#include "render/json_stream.h"

#include "render/memory.h"
#include "render/text_escape.h"
#include "render/utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (256 * 1024)
static_assert(BUFFER_BYTES >= TS_JSON_STREAM_ROOM, "the room must fit into the buffer");

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

void ts_json_stream_open(struct ts_json_stream *stream, FILE *out) {
    memset(stream, 0, sizeof *stream);
    stream->buffer = ts_memory_new(BUFFER_BYTES, 1);
    stream->out = out;
    stream->at = stream->buffer;
    stream->end = stream->buffer + BUFFER_BYTES;
}

void ts_json_stream_flush(struct ts_json_stream *stream) {
    size_t count = (size_t)(stream->at - stream->buffer);

    errno = 0;
    if (!stream->failed && fwrite(stream->buffer, 1, count, stream->out) != count)
        stream->failed = errno ? errno : EIO;
    stream->flushed += count;
    stream->at = stream->buffer;
}

int ts_json_stream_close(struct ts_json_stream *stream, const char *what, struct ts_error *error) {
    ts_json_stream_flush(stream);
    if (!stream->failed && fflush(stream->out) != 0)
        stream->failed = errno;
    free(stream->buffer);
    stream->buffer = stream->at = stream->end = NULL;
    if (stream->failed)
        return ts_error_set(error, "cannot write %s: %s", what, strerror(stream->failed));
    return 0;
}

void ts_json_stream_bytes(struct ts_json_stream *stream, const char *bytes, size_t count) {
    while (count > 0) {
        size_t part = count < TS_JSON_STREAM_ROOM ? count : TS_JSON_STREAM_ROOM;
        char *to = ts_json_stream_room(stream, part);
        memcpy(to, bytes, part);
        ts_json_stream_used(stream, to + part);
        bytes += part;
        count -= part;
    }
}

void ts_json_stream_text(struct ts_json_stream *stream, const char *text) {
    ts_json_stream_bytes(stream, text, strlen(text));
}

void ts_json_stream_unsigned(struct ts_json_stream *stream, uint64_t value) {
    ts_json_stream_used(stream, ts_json_unsigned(ts_json_stream_room(stream, TS_JSON_UNSIGNED_BYTES), value));
}

void ts_json_stream_signed(struct ts_json_stream *stream, int64_t value) {
    if (value < 0)
        ts_json_stream_bytes(stream, "-", 1);
    ts_json_stream_unsigned(stream, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static unsigned count_digits(uint64_t value) {
    unsigned digits = 1;
    for (; value >= 10000; value /= 10000)
        digits += 4;
    return digits + (value >= 10) + (value >= 100) + (value >= 1000);
}

char *ts_json_unsigned(char *to, uint64_t value) {
    char *end = to + count_digits(value);
    char *at = end;

    for (; value >= 100; value /= 100)
        memcpy(at -= 2, &digit_pairs[value % 100 * 2], 2);
    if (value >= 10)
        memcpy(at - 2, &digit_pairs[value * 2], 2);
    else
        at[-1] = (char)('0' + value);
    return end;
}

char *ts_json_microseconds(char *to, uint64_t ns) {
    unsigned below = (unsigned)(ns % 1000);

    to = ts_json_unsigned(to, ns / 1000);
    to[0] = '.';
    to[1] = (char)('0' + below / 100);
    memcpy(to + 2, &digit_pairs[below % 100 * 2], 2);
    return to + 4;
}

static char *put_text(char *to, const char *text, size_t count) {
    memcpy(to, text, count);
    return to + count;
}

/* Escapes one character, which is `length` bytes long; 0: an invalid byte. At most 6 bytes. */
static char *escape_character(char *to, const char *text, unsigned length, uint32_t character) {
    static const char hex[] = "0123456789abcdef";

    if (length == 0)
        return put_text(to, "\xef\xbf\xbd", 3);
    if (character == '"' || character == '\\') {
        *to++ = '\\';
        *to++ = (char)character;
        return to;
    }
    if (ts_text_changes_display(character)) {
        to = put_text(to, "\\u", 2);
        for (int shift = 12; shift >= 0; shift -= 4)
            *to++ = hex[character >> shift & 15];
        return to;
    }
    return put_text(to, text, length);
}

char *ts_json_escape(char *to, const char *text, size_t most) {
    size_t left = strlen(text);
    const char *limit = text + (left < most ? left : most);

    while (left > 0) {
        uint32_t character;
        unsigned length = ts_utf8_decode(text, left, &character);
        unsigned bytes = length ? length : 1;
        if (bytes > (size_t)(limit - text))
            return put_text(to, "…", strlen("…"));
        to = escape_character(to, text, length, character);
        text += bytes;
        left -= bytes;
    }
    return to;
}

void ts_json_stream_string(struct ts_json_stream *stream, const char *text) {
    size_t left = strlen(text);

    ts_json_stream_bytes(stream, "\"", 1);
    while (left > 0) {
        uint32_t character;
        unsigned length = ts_utf8_decode(text, left, &character);
        ts_json_stream_used(stream, escape_character(ts_json_stream_room(stream, 6), text, length, character));
        text += length ? length : 1;
        left -= length ? length : 1;
    }
    ts_json_stream_bytes(stream, "\"", 1);
}
