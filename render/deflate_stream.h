/*
 * A zlib stream (RFC 1950, 1951) of data that is mostly pieces seen before with a few new bytes between them, such as
 * one message for each call. Whoever makes the data knows where it repeats, so nothing searches for it: a piece that
 * was written in the last 32 KiB is one match, and its checksum is known. The Huffman code is fixed (deflate_code.h).
 * About 30 instructions for a piece, where compressing its bytes costs hundreds.
 */
#ifndef TRACESHIM_RENDER_DEFLATE_STREAM_H
#define TRACESHIM_RENDER_DEFLATE_STREAM_H

#include "render/deflate_code.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TS_DEFLATE_DISTANCE_MOST 32768u

struct ts_deflate {
    struct ts_deflate_code code;
    uint8_t *bytes; /* of the compressed stream so far */
    uint8_t *at;
    uint64_t bits; /* that do not fill a byte yet */
    unsigned bit_count;
    uint64_t position; /* in the data of all streams, as if the next began out of reach of the last */
    uint64_t begin;    /* of the current stream */
    uint64_t sum;      /* Adler-32 without the modulo, which a stream of TS_DEFLATE_DATA_MOST bytes cannot overflow */
    uint64_t sum_of_sums;
};

#define TS_DEFLATE_PIECE_BYTES 28

/* Bytes that repeat, before a number. The caller fills `bytes` and `count`, TS_DEFLATE_LENGTH_LEAST or more. */
struct ts_deflate_piece {
    uint64_t position;     /* of its newest copy in the data; 0: none */
    ts_deflate_bits match; /* its length */
    uint32_t sums;         /* with the number 0 behind: each byte as often as there are bytes from it to the end */
    uint16_t sum;          /* of its bytes, with the number 0 behind */
    uint16_t total;        /* bytes, with the number */
    uint8_t count;
    uint8_t bytes[TS_DEFLATE_PIECE_BYTES];
};

/* Data of one stream, at most. */
#define TS_DEFLATE_DATA_MOST ((size_t)512 << 10)

/* Begins the first stream, too. */
void ts_deflate_open(struct ts_deflate *deflate);
void ts_deflate_free(struct ts_deflate *deflate);

/* Bytes of data in the current stream. */
static inline size_t ts_deflate_size(const struct ts_deflate *deflate) {
    return (size_t)(deflate->position - deflate->begin);
}

/* Ends the stream and returns it, *count bytes, valid until ts_deflate_begin begins the next one. */
const uint8_t *ts_deflate_end(struct ts_deflate *deflate, size_t *count);
void ts_deflate_begin(struct ts_deflate *deflate);

void ts_deflate_prepare(const struct ts_deflate *deflate, struct ts_deflate_piece *piece);

/* Data as it is. With it the stream must stay within TS_DEFLATE_DATA_MOST; so with the pieces. */
void ts_deflate_add(struct ts_deflate *deflate, const uint8_t *bytes, size_t count);

/* At most 56 bits. */
static inline void ts_deflate_put(struct ts_deflate *deflate, uint64_t bits, unsigned count) {
    uint8_t *at = deflate->at;
    uint64_t all = deflate->bits | bits << deflate->bit_count;
    unsigned total = deflate->bit_count + count;
    uint64_t bytes = htole64(all);
    memcpy(at, &bytes, sizeof bytes);
    deflate->at = at + (total >> 3);
    deflate->bits = all >> (total & ~7u);
    deflate->bit_count = total & 7;
}

/* The piece and the number are part of the data now. */
static inline void ts_deflate_count_piece(struct ts_deflate *deflate, struct ts_deflate_piece *piece, uint32_t number) {
    uint32_t low = number & 0x7f, high = number >> 7;
    piece->position = deflate->position;
    deflate->position += piece->total;
    deflate->sum_of_sums += deflate->sum * piece->total + piece->sums + 2 * low + high;
    deflate->sum += piece->sum + low + high;
}

/* Where the piece was not written near by. */
void ts_deflate_add_far_piece(struct ts_deflate *deflate, struct ts_deflate_piece *piece, uint32_t number);

/* The piece, then a number below TS_DEFLATE_NUMBERS in two bytes. */
static inline void ts_deflate_add_piece(struct ts_deflate *deflate, struct ts_deflate_piece *piece, uint32_t number) {
    uint64_t distance = deflate->position - piece->position;
    if (__builtin_expect(distance >= TS_DEFLATE_NEAR, 0)) {
        ts_deflate_add_far_piece(deflate, piece, number);
        return;
    }
    ts_deflate_bits match = piece->match, back = deflate->code.near[distance], tail = deflate->code.numbers[number];
    uint64_t behind = TS_DEFLATE_CODE_OF(back) | TS_DEFLATE_CODE_OF(tail) << TS_DEFLATE_COUNT_OF(back);
    ts_deflate_put(deflate, TS_DEFLATE_CODE_OF(match) | behind << TS_DEFLATE_COUNT_OF(match),
                   TS_DEFLATE_COUNT_OF(match + back + tail)); /* 56 at most: nothing is carried */
    ts_deflate_count_piece(deflate, piece, number);
}

#endif
