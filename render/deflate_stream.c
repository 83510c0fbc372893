#include "render/deflate_stream.h"

#include "render/memory.h"

#include <stdlib.h>

/* Ten bits at most for a byte of data; the announced code, header and checksum; what ts_deflate_put writes beyond. */
#define STREAM_BYTES (TS_DEFLATE_DATA_MOST / 8 * 10 + 1024)

#define ADLER_MODULO 65521u

static void put(void *context, uint32_t bits, unsigned count) {
    struct ts_deflate *deflate = context;
    ts_deflate_put(&deflate->tail, bits, count);
}

void ts_deflate_begin(struct ts_deflate *deflate) {
    deflate->begin = deflate->tail.position + TS_DEFLATE_DISTANCE_MOST + 1;
    deflate->tail = (struct ts_deflate_tail){.at = deflate->bytes, .position = deflate->begin, .sum = 1};
    ts_deflate_put(&deflate->tail, 0x0178, 16); /* RFC 1950: deflate, window of 32 KiB, fastest */
    ts_deflate_code_announce(&deflate->code, put, deflate);
}

void ts_deflate_open(struct ts_deflate *deflate) {
    memset(deflate, 0, sizeof *deflate);
    deflate->bytes = ts_memory_new(STREAM_BYTES, 1);
    ts_deflate_code_make(&deflate->code);
    ts_deflate_begin(deflate);
}

void ts_deflate_free(struct ts_deflate *deflate) {
    ts_deflate_code_free(&deflate->code);
    free(deflate->bytes);
    deflate->bytes = deflate->tail.at = NULL;
}

const uint8_t *ts_deflate_end(struct ts_deflate *deflate, size_t *count) {
    struct ts_deflate_symbol end = deflate->code.symbols[TS_DEFLATE_END];
    struct ts_deflate_tail *tail = &deflate->tail;
    uint32_t checksum = (uint32_t)(tail->sum_of_sums % ADLER_MODULO) << 16 | (uint32_t)(tail->sum % ADLER_MODULO);
    ts_deflate_put(tail, end.code, end.bits);
    ts_deflate_put(tail, 0, (8 - tail->bit_count) & 7);
    ts_deflate_put(tail, __builtin_bswap32(checksum), 32);
    *count = (size_t)(tail->at - deflate->bytes);
    return deflate->bytes;
}

void ts_deflate_prepare(struct ts_deflate *deflate, struct ts_deflate_piece *piece) {
    piece->position = 0;
    piece->near = ts_deflate_near(&deflate->code, piece->count);
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
    struct ts_deflate_tail *tail = &deflate->tail;
    for (size_t i = 0; i < count; i++) {
        struct ts_deflate_symbol symbol = deflate->code.symbols[bytes[i]];
        ts_deflate_put(tail, symbol.code, symbol.bits);
        tail->sum += bytes[i];
        tail->sum_of_sums += tail->sum;
    }
    tail->position += count;
}

void ts_deflate_add_piece(struct ts_deflate *deflate, struct ts_deflate_piece *piece, uint32_t number) {
    struct ts_deflate_tail *tail = &deflate->tail;
    uint64_t position = tail->position, distance = position - piece->position;
    if (distance < TS_DEFLATE_NEAR) {
        ts_deflate_add_near(tail, &deflate->code, piece, number);
    } else if (distance <= TS_DEFLATE_DISTANCE_MOST) {
        ts_deflate_bits length = ts_deflate_length(&deflate->code, piece->count);
        ts_deflate_bits back = ts_deflate_distance(&deflate->code, (uint32_t)distance);
        ts_deflate_bits behind = deflate->code.numbers[number];
        ts_deflate_put(tail, TS_DEFLATE_CODE_OF(length), TS_DEFLATE_COUNT_OF(length));
        ts_deflate_put(tail, TS_DEFLATE_CODE_OF(back), TS_DEFLATE_COUNT_OF(back));
        ts_deflate_put(tail, TS_DEFLATE_CODE_OF(behind), TS_DEFLATE_COUNT_OF(behind));
        ts_deflate_count_piece(tail, piece, number);
    } else {
        const uint8_t bytes[] = {(uint8_t)(number | 0x80), (uint8_t)(number >> 7)};
        ts_deflate_add(deflate, piece->bytes, piece->count);
        ts_deflate_add(deflate, bytes, sizeof bytes);
        piece->position = position;
    }
}
