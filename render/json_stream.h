/*
 * JSON written by hand, fast: for outputs with one object per call. Text is valid UTF-8 whatever the input was (a bad
 * byte becomes U+FFFD), characters beyond U+FFFF go out raw (a surrogate pair in a name makes Perfetto reject the whole
 * file), and only `"`, `\` and what a terminal would act on (text_escape.h) are escaped: JSON may be shown on one.
 */
#ifndef TRACESHIM_RENDER_JSON_STREAM_H
#define TRACESHIM_RENDER_JSON_STREAM_H

#include "render/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The most that ts_json_stream_room gives. */
#define TS_JSON_STREAM_ROOM (64 * 1024)

struct ts_json_stream {
    FILE *out; /* the caller's */
    char *buffer;
    char *at;
    char *end;
    uint64_t flushed; /* bytes that have left the buffer */
    int failed;       /* errno of the first write that failed; nothing is written after it */
};

void ts_json_stream_open(struct ts_json_stream *stream, FILE *out);
/* Writes the rest. 0, or -1 and the error when anything could not be written to `what` ("the Chrome trace"). */
int ts_json_stream_close(struct ts_json_stream *stream, const char *what, struct ts_error *error);

void ts_json_stream_flush(struct ts_json_stream *stream);
void ts_json_stream_bytes(struct ts_json_stream *stream, const char *bytes, size_t count);
void ts_json_stream_text(struct ts_json_stream *stream, const char *text);
void ts_json_stream_unsigned(struct ts_json_stream *stream, uint64_t value);
void ts_json_stream_signed(struct ts_json_stream *stream, int64_t value);
/* A string with its quotes. */
void ts_json_stream_string(struct ts_json_stream *stream, const char *text);

/* Bytes since it was opened. */
static inline uint64_t ts_json_stream_written(const struct ts_json_stream *stream) {
    return stream->flushed + (uint64_t)(stream->at - stream->buffer);
}

/* A place for `count` bytes, at most TS_JSON_STREAM_ROOM; ts_json_stream_used tells how far it was filled. */
static inline char *ts_json_stream_room(struct ts_json_stream *stream, size_t count) {
    if ((size_t)(stream->end - stream->at) < count)
        ts_json_stream_flush(stream);
    return stream->at;
}

static inline void ts_json_stream_used(struct ts_json_stream *stream, char *end) {
    stream->at = end;
}

/* The following write to memory and return the end of what they wrote; no terminating zero. */

#define TS_JSON_UNSIGNED_BYTES 20
char *ts_json_unsigned(char *to, uint64_t value);

/* Nanoseconds as microseconds with three decimals, exact: 1234567 is 1234.567. */
#define TS_JSON_MICROSECONDS_BYTES 21
char *ts_json_microseconds(char *to, uint64_t ns);

/*
 * The inside of a string, of at most `most` bytes of `text`: what is longer ends with `…`. Writes at most
 * TS_JSON_ESCAPED_BYTES(length) bytes, where length is the smaller of the text's and `most`.
 */
#define TS_JSON_ESCAPED_BYTES(length) ((length)*6 + 3)
char *ts_json_escape(char *to, const char *text, size_t most);

#endif
