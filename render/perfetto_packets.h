/*
 * The file of a Perfetto trace: packets one after another, deflated in parts of 256 KiB, which readers take as packets
 * of their own ("compressed_packets"). A file that is cut loads up to its last whole part.
 */
#ifndef TRACESHIM_RENDER_PERFETTO_PACKETS_H
#define TRACESHIM_RENDER_PERFETTO_PACKETS_H

#include "render/deflate_stream.h"
#include "render/error.h"
#include "render/protobuf.h"

#include <stdio.h>

/* Perfetto takes no part of 512 KiB or more. */
#define TS_PERFETTO_PART_BYTES ((size_t)256 << 10)

struct ts_perfetto_packets {
    struct ts_deflate deflate;
    FILE *out;        /* the caller's */
    uint64_t written; /* bytes of the file */
    int failed;       /* errno of the first write that failed; nothing is written after it */
};

void ts_perfetto_packets_open(struct ts_perfetto_packets *packets, FILE *out);
/* Writes the rest. 0, or -1 and the error when anything could not be written. */
int ts_perfetto_packets_close(struct ts_perfetto_packets *packets, struct ts_error *error);

/* Writes what is deflated so far as one part. */
void ts_perfetto_packets_flush(struct ts_perfetto_packets *packets);

/* One packet: the fields of a TracePacket. */
void ts_perfetto_packets_add(struct ts_perfetto_packets *packets, const struct ts_protobuf *packet);

/* After a piece was added to `deflate`: whether the part must be flushed before anything else is added. */
static inline bool ts_perfetto_packets_full(const struct ts_perfetto_packets *packets) {
    return ts_deflate_size(&packets->deflate) >= TS_PERFETTO_PART_BYTES;
}

#endif
