/* Places of separate debug files. Cannot find: that a distribution puts them elsewhere. */
#include "render/debug_paths.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

Test(debug_paths, by_build_id) {
    const uint8_t id[] = {0x93, 0xac, 0x00, 0x5e};
    uint8_t large[65] = {0};
    char *path = ts_debug_paths_by_build_id(id, sizeof id);
    cr_expect_str_eq(path, "/usr/lib/debug/.build-id/93/ac005e.debug");
    free(path);
    cr_expect_null(ts_debug_paths_by_build_id(id, 1));
    cr_expect_null(ts_debug_paths_by_build_id(id, 0));
    cr_expect_null(ts_debug_paths_by_build_id(large, sizeof large));
}

Test(debug_paths, by_link) {
    char *paths[TS_DEBUG_LINK_PATHS];
    cr_assert(ts_debug_paths_by_link("/opt/app/bin/tool", "tool.debug", paths));
    cr_expect_str_eq(paths[0], "/opt/app/bin/tool.debug");
    cr_expect_str_eq(paths[1], "/opt/app/bin/.debug/tool.debug");
    cr_expect_str_eq(paths[2], "/usr/lib/debug/opt/app/bin/tool.debug");
    for (size_t i = 0; i < TS_DEBUG_LINK_PATHS; i++)
        free(paths[i]);
    cr_expect_not(ts_debug_paths_by_link("/bin/tool", "", paths));
    cr_expect_not(ts_debug_paths_by_link("/bin/tool", "../../etc/shadow", paths));
    cr_expect_not(ts_debug_paths_by_link("/bin/tool", "..", paths));
}

/* The check value of CRC-32: "123456789" has cbf43926. */
Test(debug_paths, checksum) {
    int fd = memfd_create("checksum", 0);
    cr_assert(fd >= 0 && write(fd, "123456789", 9) == 9);
    cr_expect(ts_debug_paths_checksum_matches(fd, 0xcbf43926));
    cr_expect_not(ts_debug_paths_checksum_matches(fd, 0xcbf43927));
    cr_expect_not(ts_debug_paths_checksum_matches(-1, 0xcbf43926));
    close(fd);
}
