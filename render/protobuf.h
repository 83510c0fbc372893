/*
 * Protocol buffer messages, written by hand into memory: the wire format (tags, varints, lengths of what is nested)
 * without generated code. Field numbers are the caller's.
 */
#ifndef TRACESHIM_RENDER_PROTOBUF_H
#define TRACESHIM_RENDER_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty message. */
struct ts_protobuf {
    uint8_t *bytes;
    size_t used;
    size_t capacity;
};

void ts_protobuf_free(struct ts_protobuf *message);
void ts_protobuf_clear(struct ts_protobuf *message);

/* The most that a varint of 64 bits takes. */
#define TS_PROTOBUF_VARINT_BYTES 10
/* Writes to memory and returns the end. */
uint8_t *ts_protobuf_put_varint(uint8_t *to, uint64_t value);

void ts_protobuf_number(struct ts_protobuf *message, uint32_t field, uint64_t value); /* any integer, bool, enum */
void ts_protobuf_fixed64(struct ts_protobuf *message, uint32_t field, uint64_t value);
void ts_protobuf_real(struct ts_protobuf *message, uint32_t field, double value);
void ts_protobuf_bytes(struct ts_protobuf *message, uint32_t field, const void *bytes, size_t count);
/* Fields that another message was filled with. */
void ts_protobuf_append(struct ts_protobuf *message, const uint8_t *fields, size_t count);
/* Valid UTF-8 whatever `text` holds: a bad byte becomes U+FFFD. */
void ts_protobuf_text(struct ts_protobuf *message, uint32_t field, const char *text);

/* A message inside: what is added until ts_protobuf_end, which gets what ts_protobuf_begin returned. They nest. */
size_t ts_protobuf_begin(struct ts_protobuf *message, uint32_t field);
void ts_protobuf_end(struct ts_protobuf *message, size_t begin);

#endif
