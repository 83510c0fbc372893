#include "render/gzip_stream.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

/* RFC 1952 around the stream; the fastest level: outputs repeat so much that others gain a third for thrice the time.
 */
enum { WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 9, BUFFER_BYTES = 1 << 16 };

struct ts_gzip {
    z_stream stream;
    ts_gzip_take *take;
    void *context;
    unsigned char buffer[BUFFER_BYTES];
};

struct ts_gzip *ts_gzip_open(ts_gzip_take *take, void *context) {
    struct ts_gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    gzip->take = take;
    gzip->context = context;
    if (deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
        return gzip;
    free(gzip);
    return NULL;
}

static void compress_all(struct ts_gzip *gzip, int flush) {
    do {
        gzip->stream.next_out = gzip->buffer;
        gzip->stream.avail_out = sizeof gzip->buffer;
        deflate(&gzip->stream, flush);
        gzip->take(gzip->context, (const char *)gzip->buffer, sizeof gzip->buffer - gzip->stream.avail_out);
    } while (gzip->stream.avail_out == 0);
}

void ts_gzip_write(struct ts_gzip *gzip, const char *bytes, size_t count) {
    while (count > 0) {
        unsigned part = count < UINT_MAX ? (unsigned)count : UINT_MAX;
        gzip->stream.next_in = (unsigned char *)(size_t)bytes;
        gzip->stream.avail_in = part;
        compress_all(gzip, Z_NO_FLUSH);
        bytes += part;
        count -= part;
    }
}

void ts_gzip_close(struct ts_gzip *gzip) {
    compress_all(gzip, Z_FINISH);
    deflateEnd(&gzip->stream);
    free(gzip);
}
