/* gzip, by zlib: the only file that includes it. */
#ifndef TRACESHIM_RENDER_GZIP_STREAM_H
#define TRACESHIM_RENDER_GZIP_STREAM_H

#include <stddef.h>

struct ts_gzip;

/* Takes what is compressed. */
typedef void ts_gzip_take(void *context, const char *bytes, size_t count);

/* NULL when there is no memory. */
struct ts_gzip *ts_gzip_open(ts_gzip_take *take, void *context);
void ts_gzip_write(struct ts_gzip *gzip, const char *bytes, size_t count);
/* Ends the stream and frees it. */
void ts_gzip_close(struct ts_gzip *gzip);

#endif
