/*
 * The loader's cache of libraries (/etc/ld.so.cache) in the format that glibc has written since 2.2: names and paths.
 * Whatever its bytes are, paths are texts inside it.
 */
#ifndef TRACESHIM_RENDER_LIBRARY_CACHE_H
#define TRACESHIM_RENDER_LIBRARY_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct ts_library_cache {
    uint8_t *bytes; /* with a NUL behind them */
    size_t size;
    size_t start; /* of the part that the format describes */
    uint32_t count;
};

/* No cache, or one of another format, is an empty one. */
void ts_library_cache_open(struct ts_library_cache *cache, const char *path);
void ts_library_cache_close(struct ts_library_cache *cache);

/*
 * The next path for `name` from entry *at on, which is moved behind it; NULL: there is none. Begin with 0. The cache
 * holds libraries of every class and machine: take the first that fits.
 */
const char *ts_library_cache_next(const struct ts_library_cache *cache, const char *name, uint32_t *at);

#endif
