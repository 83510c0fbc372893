#include "render/debug_paths.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

char *ts_debug_paths_by_build_id(const uint8_t *build_id, size_t bytes) {
    enum { BYTES_MAX = 64 };
    static const char digits[] = "0123456789abcdef";
    char text[2 * BYTES_MAX + 1];
    if (bytes < 2 || bytes > BYTES_MAX)
        return NULL;
    for (size_t i = 0; i < bytes; i++) {
        text[2 * i] = digits[build_id[i] >> 4];
        text[2 * i + 1] = digits[build_id[i] & 15];
    }
    text[2 * bytes] = '\0';
    return ts_memory_text(DEBUG_ROOT "/.build-id/%.2s/%s.debug", text, text + 2);
}

bool ts_debug_paths_by_link(const char *path, const char *link, char *paths[TS_DEBUG_LINK_PATHS]) {
    if (!link[0] || link[0] == '.' || strchr(link, '/'))
        return false;
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path + 1) : 0;
    paths[0] = ts_memory_text("%.*s%s", directory, path, link);
    paths[1] = ts_memory_text("%.*s.debug/%s", directory, path, link);
    paths[2] = ts_memory_text(DEBUG_ROOT "%s%.*s%s", path[0] == '/' ? "" : "/", directory, path, link);
    return true;
}

static uint32_t checksum_update(uint32_t checksum, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        checksum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            checksum = checksum >> 1 ^ (checksum & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return checksum;
}

bool ts_debug_paths_checksum_matches(int fd, uint32_t expected) {
    uint8_t buffer[65536];
    uint32_t checksum = UINT32_MAX;
    off_t offset = 0;
    ssize_t got;
    while ((got = pread(fd, buffer, sizeof buffer, offset)) > 0) {
        checksum = checksum_update(checksum, buffer, (size_t)got);
        offset += got;
    }
    return got == 0 && ~checksum == expected;
}
