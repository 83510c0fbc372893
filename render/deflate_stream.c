#include "render/deflate_stream.h"

#include "render/memory.h"

#include <stdlib.h>

/* Ten bits at most for a byte of data; the announced code, header and checksum; what ts_deflate_put writes beyond. */
#define STREAM_BYTES (TS_DEFLATE_DATA_MOST / 8 * 10 + 1024)

#define ADLER_MODULO 65521u

static void put(void *context, uint32_t bits, unsigned count) {
    ts_deflate_put(context, bits, count);
}

void ts_deflate_begin(struct ts_deflate *deflate) {
    deflate->at = deflate->bytes;
    deflate->begin = deflate->position += TS_DEFLATE_DISTANCE_MOST + 1;
    deflate->sum = 1;
    deflate->sum_of_sums = 0;
    ts_deflate_put(deflate, 0x0178, 16); /* RFC 1950: deflate, window of 32 KiB, fastest */
    ts_deflate_code_announce(&deflate->code, put, deflate);
}

void ts_deflate_open(struct ts_deflate *deflate) {
    memset(deflate, 0, sizeof *deflate);
    deflate->bytes = ts_memory_new(STREAM_BYTES, 1);
    ts_deflate_code_make(&deflate->code);
    ts_deflate_begin(deflate);
}

void ts_deflate_free(struct ts_deflate *deflate) {
    free(deflate->bytes);
    deflate->bytes = deflate->at = NULL;
}

const uint8_t *ts_deflate_end(struct ts_deflate *deflate, size_t *count) {
    struct ts_deflate_symbol end = deflate->code.symbols[TS_DEFLATE_END];
    uint32_t checksum = (uint32_t)(deflate->sum_of_sums % ADLER_MODULO) << 16 | (uint32_t)(deflate->sum % ADLER_MODULO);
    ts_deflate_put(deflate, end.code, end.bits);
    ts_deflate_put(deflate, 0, (8 - deflate->bit_count) & 7);
    ts_deflate_put(deflate, __builtin_bswap32(checksum), 32);
    *count = (size_t)(deflate->at - deflate->bytes);
    return deflate->bytes;
}

void ts_deflate_prepare(const struct ts_deflate *deflate, struct ts_deflate_piece *piece) {
    piece->position = 0;
    piece->match = ts_deflate_length(&deflate->code, piece->count);
    piece->total = piece->count + 2;
    piece->sum = 0;
    piece->sums = 0;
    for (unsigned i = 0; i < piece->count; i++) {
        piece->sum = (uint16_t)(piece->sum + piece->bytes[i]);
        piece->sums += piece->sum;
    }
    piece->sums += 2u * (piece->sum + 0x80u);
    piece->sum = (uint16_t)(piece->sum + 0x80); /* the highest bit of the number's first byte */
}

void ts_deflate_add(struct ts_deflate *deflate, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct ts_deflate_symbol symbol = deflate->code.symbols[bytes[i]];
        ts_deflate_put(deflate, symbol.code, symbol.bits);
        deflate->sum += bytes[i];
        deflate->sum_of_sums += deflate->sum;
    }
    deflate->position += count;
}

void ts_deflate_add_far_piece(struct ts_deflate *deflate, struct ts_deflate_piece *piece, uint32_t number) {
    uint64_t position = deflate->position, distance = position - piece->position;
    if (distance <= TS_DEFLATE_DISTANCE_MOST) {
        ts_deflate_bits back = ts_deflate_distance(&deflate->code, (uint32_t)distance);
        ts_deflate_bits tail = deflate->code.numbers[number];
        ts_deflate_put(deflate, TS_DEFLATE_CODE_OF(piece->match), TS_DEFLATE_COUNT_OF(piece->match));
        ts_deflate_put(deflate, TS_DEFLATE_CODE_OF(back), TS_DEFLATE_COUNT_OF(back));
        ts_deflate_put(deflate, TS_DEFLATE_CODE_OF(tail), TS_DEFLATE_COUNT_OF(tail));
        ts_deflate_count_piece(deflate, piece, number);
    } else {
        const uint8_t bytes[] = {(uint8_t)(number | 0x80), (uint8_t)(number >> 7)};
        ts_deflate_add(deflate, piece->bytes, piece->count);
        ts_deflate_add(deflate, bytes, sizeof bytes);
        piece->position = position;
    }
}
