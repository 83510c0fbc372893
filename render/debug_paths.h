/* Where distributions and linkers put the debug information of a stripped file. Paths only: opens no ELF. */
#ifndef TRACESHIM_RENDER_DEBUG_PATHS_H
#define TRACESHIM_RENDER_DEBUG_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_DEBUG_LINK_PATHS = 3 };

/* /usr/lib/debug/.build-id/xx/yyyy.debug; NULL where the id is too short to name one. The caller frees it. */
char *ts_debug_paths_by_build_id(const uint8_t *build_id, size_t bytes);

/*
 * Where a .gnu_debuglink `link` of the file `path` may lead: beside it, in .debug/ beside it, under /usr/lib/debug.
 * Sets paths[], which the caller frees, and returns true; false where the link is no plain file name.
 */
bool ts_debug_paths_by_link(const char *path, const char *link, char *paths[TS_DEBUG_LINK_PATHS]);

/* Whether the content of `fd` has the checksum that .gnu_debuglink tells (CRC-32 of ISO 3309, as zlib and gdb). */
bool ts_debug_paths_checksum_matches(int fd, uint32_t expected);

#endif
