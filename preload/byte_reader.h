/* Reads numbers off bytes that may be anything, in the machine's byte order; nothing is read at or behind `end`. */
#ifndef TRACESHIM_PRELOAD_BYTE_READER_H
#define TRACESHIM_PRELOAD_BYTE_READER_H

#include <stdint.h>

struct ts_byte_reader {
    const uint8_t *at;
    const uint8_t *end;
    int failed; /* more was asked for than there is: what was read is 0 */
};

static inline uint64_t ts_byte_reader_left(const struct ts_byte_reader *reader) {
    return (uint64_t)(reader->end - reader->at);
}

/* `count` bytes, 1 to 8, without a sign. */
static inline uint64_t ts_byte_reader_number(struct ts_byte_reader *reader, unsigned count) {
    uint64_t value = 0;
    if (ts_byte_reader_left(reader) < count) {
        reader->failed = 1;
        reader->at = reader->end;
        return 0;
    }
    for (unsigned i = count; i-- > 0;)
        value = value << 8 | reader->at[i];
    reader->at += count;
    return value;
}

/* DWARF's LEB128; with a sign, the last byte's bit 6 is extended. Bits beyond 64 are dropped. */
static inline uint64_t ts_byte_reader_leb128(struct ts_byte_reader *reader, int has_sign) {
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = ts_byte_reader_number(reader, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return has_sign && byte & 0x40 && shift < 64 ? value | UINT64_MAX << shift : value;
}

static inline uint64_t ts_byte_reader_unsigned(struct ts_byte_reader *reader) {
    return ts_byte_reader_leb128(reader, 0);
}

static inline int64_t ts_byte_reader_signed(struct ts_byte_reader *reader) {
    return (int64_t)ts_byte_reader_leb128(reader, 1);
}

/* The next `count` bytes as a reader of their own; they are skipped. */
static inline struct ts_byte_reader ts_byte_reader_part(struct ts_byte_reader *reader, uint64_t count) {
    if (count > ts_byte_reader_left(reader)) {
        reader->failed = 1;
        count = ts_byte_reader_left(reader);
    }
    struct ts_byte_reader part = {reader->at, reader->at + count, 0};
    reader->at += count;
    return part;
}

#endif
