#include "render/perfetto_packets.h"

#include "render/perfetto_fields.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* Longer packets are written as they are: with one of them a part stays below what Perfetto takes. */
#define DEFLATED_MOST ((size_t)64 << 10)

static_assert(TS_PERFETTO_PART_BYTES + DEFLATED_MOST + 64 < TS_DEFLATE_DATA_MOST, "a part fits into a stream");

void ts_perfetto_packets_open(struct ts_perfetto_packets *packets, FILE *out) {
    *packets = (struct ts_perfetto_packets){.out = out};
    ts_deflate_open(&packets->deflate);
}

static void write_bytes(struct ts_perfetto_packets *packets, const uint8_t *bytes, size_t count) {
    errno = 0;
    if (!packets->failed && fwrite(bytes, 1, count, packets->out) != count)
        packets->failed = errno ? errno : EIO;
    packets->written += count;
}

/* A field of bytes, up to the bytes; returns the end. */
static uint8_t *put_head(uint8_t *to, uint32_t field, size_t count) {
    to = ts_protobuf_put_varint(to, (uint64_t)field << 3 | 2);
    return ts_protobuf_put_varint(to, count);
}

void ts_perfetto_packets_flush(struct ts_perfetto_packets *packets) {
    uint8_t head[4 * TS_PROTOBUF_VARINT_BYTES], inner[2 * TS_PROTOBUF_VARINT_BYTES];
    size_t count;
    if (ts_deflate_size(&packets->deflate) == 0)
        return;
    const uint8_t *bytes = ts_deflate_end(&packets->deflate, &count);
    size_t inner_bytes = (size_t)(put_head(inner, TS_PACKET_COMPRESSED, count) - inner);
    uint8_t *end = put_head(head, TS_TRACE_PACKET, inner_bytes + count);
    memcpy(end, inner, inner_bytes);
    write_bytes(packets, head, (size_t)(end - head) + inner_bytes);
    write_bytes(packets, bytes, count);
    ts_deflate_begin(&packets->deflate);
}

void ts_perfetto_packets_add(struct ts_perfetto_packets *packets, const struct ts_protobuf *packet) {
    uint8_t head[2 * TS_PROTOBUF_VARINT_BYTES];
    size_t head_bytes = (size_t)(put_head(head, TS_TRACE_PACKET, packet->used) - head);
    if (packet->used > DEFLATED_MOST) {
        ts_perfetto_packets_flush(packets);
        write_bytes(packets, head, head_bytes);
        write_bytes(packets, packet->bytes, packet->used);
        return;
    }
    ts_deflate_add(&packets->deflate, head, head_bytes);
    ts_deflate_add(&packets->deflate, packet->bytes, packet->used);
    if (ts_perfetto_packets_full(packets))
        ts_perfetto_packets_flush(packets);
}

int ts_perfetto_packets_close(struct ts_perfetto_packets *packets, struct ts_error *error) {
    ts_perfetto_packets_flush(packets);
    ts_deflate_free(&packets->deflate);
    if (!packets->failed && fflush(packets->out) != 0)
        packets->failed = errno;
    if (packets->failed)
        return ts_error_set(error, "cannot write the Perfetto trace: %s", strerror(packets->failed));
    return 0;
}
