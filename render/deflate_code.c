#include "render/deflate_code.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

/* Ranges of symbols and the bits of their codes. Each table uses every code there is: inflate refuses others. */
struct range {
    uint16_t first, last;
    uint16_t bits;
};

static const struct range symbol_ranges[] = {
    {0x00, 0x00, 3}, {0x01, 0x7f, 10}, {0x80, 0xff, 8}, {TS_DEFLATE_END, TS_DEFLATE_END, 10},
    {265, 265, 3},   {266, 266, 6},    {267, 267, 5},   {268, 268, 4},
    {269, 270, 7},
};

/* The nearest copy of a message is mostly 13 to 192 bytes away. */
static const struct range distance_ranges[] = {{0, 6, 6}, {7, 14, 4}, {15, 24, 5}, {25, 29, 6}};

enum { BITS_MOST = 10 };

/* Bit lengths in the order of RFC 1951, 3.2.7; the code of code lengths, three bits each. */
static const uint8_t announced_order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3};
static const uint8_t announced_bits[BITS_MOST + 1] = {
    [0] = 3, [3] = 3, [4] = 3, [5] = 3, [6] = 3, [7] = 3, [8] = 3, [10] = 3};

static uint16_t reversed(uint16_t code, unsigned bits) {
    uint16_t result = 0;
    for (unsigned i = 0; i < bits; i++)
        result = (uint16_t)(result | (code >> i & 1) << (bits - 1 - i));
    return result;
}

/* RFC 1951, 3.2.2: codes of one length are consecutive, shorter ones come first. */
static void assign_codes(struct ts_deflate_symbol *symbols, unsigned count) {
    uint16_t code = 0;
    for (unsigned bits = 1; bits <= BITS_MOST; bits++) {
        code = (uint16_t)(code << 1);
        for (unsigned i = 0; i < count; i++)
            if (symbols[i].bits == bits)
                symbols[i].code = reversed(code++, bits);
    }
}

static void set_bits(struct ts_deflate_symbol *symbols, const struct range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (unsigned symbol = ranges[i].first; symbol <= ranges[i].last; symbol++)
            symbols[symbol].bits = ranges[i].bits;
}

static ts_deflate_bits with_extra(struct ts_deflate_symbol symbol, uint32_t value, unsigned extra) {
    return TS_DEFLATE_BITS(symbol.code | value << symbol.bits, symbol.bits + extra);
}

void ts_deflate_code_make(struct ts_deflate_code *code) {
    memset(code, 0, sizeof *code);
    set_bits(code->symbols, symbol_ranges, sizeof symbol_ranges / sizeof *symbol_ranges);
    set_bits(code->distances, distance_ranges, sizeof distance_ranges / sizeof *distance_ranges);
    assign_codes(code->symbols, TS_DEFLATE_SYMBOLS);
    assign_codes(code->distances, TS_DEFLATE_DISTANCES);
    for (uint32_t number = 0; number < TS_DEFLATE_NUMBERS; number++)
        code->numbers[number] = with_extra(code->symbols[(number & 0x7f) | 0x80], code->symbols[number >> 7].code,
                                           code->symbols[number >> 7].bits);
}

void ts_deflate_code_free(struct ts_deflate_code *code) {
    for (unsigned length = 0; length <= TS_DEFLATE_LENGTH_MOST; length++)
        free(code->near[length]);
}

const ts_deflate_bits *ts_deflate_near(struct ts_deflate_code *code, unsigned length) {
    ts_deflate_bits *near = code->near[length], match = ts_deflate_length(code, length);
    if (near)
        return near;
    near = code->near[length] = ts_memory_new(TS_DEFLATE_NEAR, sizeof *near);
    for (uint32_t distance = 1; distance < TS_DEFLATE_NEAR; distance++)
        near[distance] = ts_deflate_bits_join(match, ts_deflate_distance(code, distance));
    return near;
}

static void announce_lengths(const struct ts_deflate_symbol *symbols, unsigned count,
                             const struct ts_deflate_symbol *lengths,
                             void (*put)(void *context, uint32_t bits, unsigned), void *context) {
    for (unsigned i = 0; i < count; i++)
        put(context, lengths[symbols[i].bits].code, lengths[symbols[i].bits].bits);
}

void ts_deflate_code_announce(const struct ts_deflate_code *code, void (*put)(void *context, uint32_t bits, unsigned),
                              void *context) {
    struct ts_deflate_symbol lengths[BITS_MOST + 1] = {{0}};
    for (unsigned i = 0; i <= BITS_MOST; i++)
        lengths[i].bits = announced_bits[i];
    assign_codes(lengths, BITS_MOST + 1);

    put(context, 1 | 2 << 1, 3); /* the last block, with a code of its own */
    put(context, TS_DEFLATE_SYMBOLS - 257, 5);
    put(context, TS_DEFLATE_DISTANCES - 1, 5);
    put(context, sizeof announced_order - 4, 4);
    for (size_t i = 0; i < sizeof announced_order; i++)
        put(context, announced_order[i] <= BITS_MOST ? announced_bits[announced_order[i]] : 0, 3);
    announce_lengths(code->symbols, TS_DEFLATE_SYMBOLS, lengths, put, context);
    announce_lengths(code->distances, TS_DEFLATE_DISTANCES, lengths, put, context);
}

ts_deflate_bits ts_deflate_length(const struct ts_deflate_code *code, unsigned length) {
    unsigned extra = length < 19 ? 1 : 2;
    unsigned over = length < 19 ? length - 11 : length - 19;
    unsigned symbol = (length < 19 ? 265 : 269) + (over >> extra);
    return with_extra(code->symbols[symbol], over & ((1u << extra) - 1), extra);
}

ts_deflate_bits ts_deflate_distance(const struct ts_deflate_code *code, uint32_t distance) {
    uint32_t value = distance - 1;
    if (value < 4)
        return with_extra(code->distances[value], 0, 0);
    unsigned extra = 30 - (unsigned)__builtin_clz(value);
    return with_extra(code->distances[2 * extra + (value >> extra)], value & ((1u << extra) - 1), extra);
}
