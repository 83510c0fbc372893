/*
 * A zlib stream (RFC 1950, 1951) of data that is mostly pieces seen before with a few new bytes between them, such as
 * one message for each call. Whoever makes the data knows where it repeats, so nothing searches for it: a piece that
 * was written in the last 32 KiB is one match, and its checksum is known. The Huffman code is fixed (deflate_code.h).
 * About 40 instructions for a piece, where compressing its bytes costs hundreds.
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

/*
 * The end of a stream, where data is added. Who adds many pieces in a row copies it, so that it is in registers, and
 * copies it back.
 */
struct ts_deflate_tail {
    uint64_t bits;     /* that do not fill a byte yet */
    uint64_t position; /* in the data of all streams, as if the next began out of reach of the last */
    uint8_t *at;       /* of the compressed bytes */
    uint64_t sum;      /* Adler-32 without the modulo, which a stream of TS_DEFLATE_DATA_MOST bytes cannot overflow */
    unsigned bit_count;
    uint64_t sum_of_sums;
};

struct ts_deflate {
    struct ts_deflate_code code;
    uint8_t *bytes; /* of the compressed stream so far */
    uint64_t begin; /* position of the current stream */
    struct ts_deflate_tail tail;
};

#define TS_DEFLATE_PIECE_BYTES 28

/* Bytes that repeat, before a number. The caller fills `bytes` and `count`, TS_DEFLATE_LENGTH_LEAST or more. */
struct ts_deflate_piece {
    uint64_t position;           /* of its newest copy in the data; 0: none */
    const ts_deflate_bits *near; /* ts_deflate_near of its length */
    uint32_t sums;  /* with the number 0 behind: each byte as often as there are bytes from it to the end */
    uint16_t sum;   /* of its bytes, with the number 0 behind */
    uint16_t total; /* bytes, with the number */
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
    return (size_t)(deflate->tail.position - deflate->begin);
}

/* Ends the stream and returns it, *count bytes, valid until ts_deflate_begin begins the next one. */
const uint8_t *ts_deflate_end(struct ts_deflate *deflate, size_t *count);
void ts_deflate_begin(struct ts_deflate *deflate);

/* For streams of this one alone. */
void ts_deflate_prepare(struct ts_deflate *deflate, struct ts_deflate_piece *piece);

/* Data as it is. With it the stream must stay within TS_DEFLATE_DATA_MOST; so with the pieces. */
void ts_deflate_add(struct ts_deflate *deflate, const uint8_t *bytes, size_t count);

/* At most 56 bits. */
static inline void ts_deflate_put(struct ts_deflate_tail *tail, uint64_t bits, unsigned count) {
    uint64_t all = tail->bits | bits << tail->bit_count;
    unsigned total = tail->bit_count + count;
    uint64_t bytes = htole64(all);
    memcpy(tail->at, &bytes, sizeof bytes);
    tail->at += total >> 3;
    tail->bits = all >> (total & ~7u);
    tail->bit_count = total & 7;
}

/* The piece and the number are part of the data now. */
static inline void ts_deflate_count_piece(struct ts_deflate_tail *tail, struct ts_deflate_piece *piece,
                                          uint32_t number) {
    uint32_t low = number & 0x7f, high = number >> 7;
    piece->position = tail->position;
    tail->position += piece->total;
    tail->sum_of_sums += tail->sum * piece->total + piece->sums + 2 * low + high;
    tail->sum += piece->sum + low + high;
}

/* Whether the piece was written so near by that ts_deflate_add_near may add it. */
static inline bool ts_deflate_is_near(const struct ts_deflate_tail *tail, const struct ts_deflate_piece *piece) {
    return tail->position - piece->position < TS_DEFLATE_NEAR;
}

static inline void ts_deflate_add_near(struct ts_deflate_tail *tail, const struct ts_deflate_code *code,
                                       struct ts_deflate_piece *piece, uint32_t number) {
    ts_deflate_bits match = piece->near[tail->position - piece->position], behind = code->numbers[number];
    ts_deflate_put(tail, TS_DEFLATE_CODE_OF(match) | TS_DEFLATE_CODE_OF(behind) << TS_DEFLATE_COUNT_OF(match),
                   TS_DEFLATE_COUNT_OF(match + behind)); /* 49 at most: nothing is carried */
    ts_deflate_count_piece(tail, piece, number);
}

/* The piece, then a number below TS_DEFLATE_NUMBERS in two bytes. */
void ts_deflate_add_piece(struct ts_deflate *deflate, struct ts_deflate_piece *piece, uint32_t number);

#endif
