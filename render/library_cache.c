#include "render/library_cache.h"

#include "render/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Real ones have some 100 KiB. */
#define CACHE_BYTES_MOST ((off_t)64 << 20)

/* As glibc's sysdeps/generic/dl-cache.h has it; offsets of texts count from `magic`. */
static const char magic[] = "glibc-ld.so.cache1.1";
enum { MAGIC_BYTES = sizeof magic - 1, COUNT_AT = MAGIC_BYTES, ENTRIES_AT = 48, ENTRY_BYTES = 24 };
enum { KEY_AT = 4, VALUE_AT = 8, CAPABILITIES_AT = 16 };
/* Before 2.32 an older format may stand in front of it, for older loaders. */
static const char old_magic[] = "ld.so-1.7.0";
enum { OLD_COUNT_AT = 12, OLD_ENTRIES_AT = 16, OLD_ENTRY_BYTES = 12, ALIGNMENT = 8 };

static uint32_t word(const struct ts_library_cache *cache, size_t at) {
    uint32_t value = 0;
    if (at <= cache->size && cache->size - at >= sizeof value)
        memcpy(&value, cache->bytes + at, sizeof value);
    return value;
}

static int read_all(struct ts_library_cache *cache, const char *path) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = -1;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > CACHE_BYTES_MOST)
        goto out;
    cache->bytes = ts_memory_new((size_t)status.st_size + 1, 1);
    while (cache->size < (size_t)status.st_size) {
        ssize_t got = read(fd, cache->bytes + cache->size, (size_t)status.st_size - cache->size);
        if (got <= 0)
            break;
        cache->size += (size_t)got;
    }
    result = 0;
out:
    if (fd >= 0)
        close(fd);
    return result;
}

void ts_library_cache_open(struct ts_library_cache *cache, const char *path) {
    *cache = (struct ts_library_cache){.bytes = NULL};
    if (read_all(cache, path) != 0)
        return;
    if (cache->size > OLD_ENTRIES_AT && !memcmp(cache->bytes, old_magic, sizeof old_magic - 1)) {
        cache->start = OLD_ENTRIES_AT + (size_t)word(cache, OLD_COUNT_AT) * OLD_ENTRY_BYTES;
        cache->start += (size_t)-cache->start % ALIGNMENT;
    }
    if (cache->start > cache->size || cache->size - cache->start < ENTRIES_AT ||
        memcmp(cache->bytes + cache->start, magic, MAGIC_BYTES) != 0)
        return;
    cache->count = word(cache, cache->start + COUNT_AT);
    size_t most = (cache->size - cache->start - ENTRIES_AT) / ENTRY_BYTES;
    if (cache->count > most)
        cache->count = (uint32_t)most;
}

void ts_library_cache_close(struct ts_library_cache *cache) {
    free(cache->bytes);
}

static const char *text_at(const struct ts_library_cache *cache, uint32_t offset) {
    return offset < cache->size - cache->start ? (const char *)cache->bytes + cache->start + offset : "";
}

const char *ts_library_cache_next(const struct ts_library_cache *cache, const char *name, uint32_t *at) {
    while (*at < cache->count) {
        size_t entry = cache->start + ENTRIES_AT + (size_t)(*at)++ * ENTRY_BYTES;
        /* Variants for certain processors have the same functions. */
        if (!word(cache, entry + CAPABILITIES_AT) && !word(cache, entry + CAPABILITIES_AT + 4) &&
            !strcmp(text_at(cache, word(cache, entry + KEY_AT)), name))
            return text_at(cache, word(cache, entry + VALUE_AT));
    }
    return NULL;
}
