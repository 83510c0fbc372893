#include "render/protobuf.h"

#include "render/memory.h"
#include "render/utf8.h"

#include <stdlib.h>
#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

void ts_protobuf_free(struct ts_protobuf *message) {
    free(message->bytes);
    *message = (struct ts_protobuf){0};
}

void ts_protobuf_clear(struct ts_protobuf *message) {
    message->used = 0;
}

uint8_t *ts_protobuf_put_varint(uint8_t *to, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static uint8_t *room_for(struct ts_protobuf *message, size_t bytes) {
    message->bytes = ts_memory_grow(message->bytes, &message->capacity, message->used + bytes, 1);
    return message->bytes + message->used;
}

static void put_varint(struct ts_protobuf *message, uint64_t value) {
    uint8_t *to = room_for(message, TS_PROTOBUF_VARINT_BYTES);
    message->used += (size_t)(ts_protobuf_put_varint(to, value) - to);
}

static void put_tag(struct ts_protobuf *message, uint32_t field, enum wire_type type) {
    put_varint(message, (uint64_t)field << 3 | type);
}

void ts_protobuf_number(struct ts_protobuf *message, uint32_t field, uint64_t value) {
    put_tag(message, field, WIRE_VARINT);
    put_varint(message, value);
}

void ts_protobuf_fixed64(struct ts_protobuf *message, uint32_t field, uint64_t value) {
    put_tag(message, field, WIRE_FIXED64);
    uint8_t *to = room_for(message, sizeof value);
    for (unsigned i = 0; i < sizeof value; i++)
        to[i] = (uint8_t)(value >> 8 * i);
    message->used += sizeof value;
}

void ts_protobuf_real(struct ts_protobuf *message, uint32_t field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ts_protobuf_fixed64(message, field, bits);
}

void ts_protobuf_append(struct ts_protobuf *message, const uint8_t *fields, size_t count) {
    uint8_t *to = room_for(message, count);
    if (count)
        memcpy(to, fields, count);
    message->used += count;
}

void ts_protobuf_bytes(struct ts_protobuf *message, uint32_t field, const void *bytes, size_t count) {
    put_tag(message, field, WIRE_BYTES);
    put_varint(message, count);
    ts_protobuf_append(message, bytes, count);
}

void ts_protobuf_text(struct ts_protobuf *message, uint32_t field, const char *text) {
    static const char replacement[] = "\xef\xbf\xbd";
    size_t left = strlen(text), begin = ts_protobuf_begin(message, field);
    while (left > 0) {
        uint32_t character;
        unsigned length = ts_utf8_decode(text, left, &character);
        size_t bytes = length ? length : sizeof replacement - 1;
        memcpy(room_for(message, bytes), length ? text : replacement, bytes);
        message->used += bytes;
        text += length ? length : 1;
        left -= length ? length : 1;
    }
    ts_protobuf_end(message, begin);
}

size_t ts_protobuf_begin(struct ts_protobuf *message, uint32_t field) {
    put_tag(message, field, WIRE_BYTES);
    return message->used;
}

/* The length stands before what it counts: that moves behind it. */
void ts_protobuf_end(struct ts_protobuf *message, size_t begin) {
    uint8_t length[TS_PROTOBUF_VARINT_BYTES];
    size_t inside = message->used - begin;
    size_t bytes = (size_t)(ts_protobuf_put_varint(length, inside) - length);
    room_for(message, bytes);
    memmove(message->bytes + begin + bytes, message->bytes + begin, inside);
    memcpy(message->bytes + begin, length, bytes);
    message->used += bytes;
}
