/*
 * The Huffman code of deflate_stream.h, the same for every stream, made for messages about calls: the first byte of a
 * time difference has its highest bit set, the second is often 0, and the rest is text.
 */
#ifndef TRACESHIM_RENDER_DEFLATE_CODE_H
#define TRACESHIM_RENDER_DEFLATE_CODE_H

#include <stdint.h>

/* Lengths of matches that have a code (RFC 1951, 3.2.5: symbols 265 to 270). */
#define TS_DEFLATE_LENGTH_LEAST 11u
#define TS_DEFLATE_LENGTH_MOST 26u

enum { TS_DEFLATE_END = 256, TS_DEFLATE_SYMBOLS = 271, TS_DEFLATE_DISTANCES = 30 };

struct ts_deflate_symbol {
    uint16_t code; /* the bit that goes out first is the lowest */
    uint16_t bits;
};

/*
 * Several symbols in a row, in one: the code << 6 | its bits, at most 26. A processor that takes a shift's count modulo
 * 64 needs nothing to find it.
 */
typedef uint32_t ts_deflate_bits;
#define TS_DEFLATE_BITS(code, bits) ((uint32_t)(code) << 6 | (bits))
#define TS_DEFLATE_CODE_OF(bits) ((uint64_t)((bits) >> 6))
#define TS_DEFLATE_COUNT_OF(bits) ((bits)&63)

/* One behind the other, 26 bits at most together. */
static inline ts_deflate_bits ts_deflate_bits_join(ts_deflate_bits first, ts_deflate_bits second) {
    uint32_t code = (uint32_t)(TS_DEFLATE_CODE_OF(first) | TS_DEFLATE_CODE_OF(second) << TS_DEFLATE_COUNT_OF(first));
    return TS_DEFLATE_BITS(code, TS_DEFLATE_COUNT_OF(first) + TS_DEFLATE_COUNT_OF(second));
}

/* Matches of distances below this are looked up. */
#define TS_DEFLATE_NEAR 1024u
/* Numbers below this, in two bytes: seven bits with the highest bit set, then seven bits. */
#define TS_DEFLATE_NUMBERS (1u << 14)

struct ts_deflate_code {
    struct ts_deflate_symbol symbols[TS_DEFLATE_SYMBOLS]; /* literals, end, lengths; bits 0: has no code */
    struct ts_deflate_symbol distances[TS_DEFLATE_DISTANCES];
    ts_deflate_bits numbers[TS_DEFLATE_NUMBERS];
    ts_deflate_bits *near[TS_DEFLATE_LENGTH_MOST + 1]; /* by length: matches by distance; NULL: not made yet */
};

void ts_deflate_code_make(struct ts_deflate_code *code);
void ts_deflate_code_free(struct ts_deflate_code *code);

/* Matches of this length by their distance, 1 to TS_DEFLATE_NEAR - 1. They live as long as the code. */
const ts_deflate_bits *ts_deflate_near(struct ts_deflate_code *code, unsigned length);

/* Calls `put` with what announces the code at the begin of a block, its type included. */
void ts_deflate_code_announce(const struct ts_deflate_code *code, void (*put)(void *context, uint32_t bits, unsigned),
                              void *context);

/* A match's length, its extra bits included; and its distance, 1 to 32768. */
ts_deflate_bits ts_deflate_length(const struct ts_deflate_code *code, unsigned length);
ts_deflate_bits ts_deflate_distance(const struct ts_deflate_code *code, uint32_t distance);

#endif
