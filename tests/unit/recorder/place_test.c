/* Where may be recorded. Cannot find: what the file systems do that are not on this machine. */
#include "collector/place.h"
#include "tests/unit/recorder/failing_system.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

static char reason[256];

static int check(int fd, uint64_t *room) {
    struct ts_text text = TS_TEXT_IN(reason);
    reason[0] = 0;
    *room = UINT64_MAX;
    return ts_place_check(fd, room, &text);
}

/* An empty file in `directory`, without a name; -1: not on this machine. */
static int file_in(const char *directory) {
    char path[256];
    if (access(directory, W_OK))
        return -1;
    strcat(strcpy(path, directory), "/traceshim-test-XXXXXX");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static void check_directory(const char *directory) {
    uint64_t room;
    struct statfs status;
    struct sysinfo memory;
    int fd = file_in(directory);
    if (fd < 0)
        cr_skip_test("%s is not writable", directory);
    cr_assert_eq(fstatfs(fd, &status), 0);
    int result = check(fd, &room);
    uint64_t free = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
    if (result) {
        cr_assert_gt(strlen(reason), 10, "it is refused without a reason");
        cr_skip_test("%s cannot be recorded to: %s", directory, reason);
    }
    cr_assert_str_eq(reason, "");
    cr_assert_gt(room, 0);
    cr_assert_leq(room, free + free / 4, "more than what is free"); /* others write meanwhile */
    if (status.f_type == TMPFS_MAGIC) {
        cr_assert_eq(sysinfo(&memory), 0);
        cr_assert_leq(room, (uint64_t)memory.totalram * memory.mem_unit / 8, "it is memory");
    } else if (status.f_type == EXT4_SUPER_MAGIC) {
        cr_assert_geq(room + room / 4, free / 4);
    }
    close(fd);
}

Test(place, temporary_directory) {
    check_directory("/tmp");
}

Test(place, shared_memory) {
    check_directory("/dev/shm");
}

Test(place, what_is_no_place_for_a_file_is_refused_by_name) {
    uint64_t room;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    cr_assert_eq(check(fd, &room), -1);
    cr_assert_str_eq(reason, "it is on procfs, where a mapped file can end the program");
    close(fd);
}

Test(place, what_is_not_known_is_refused_by_number) {
    uint64_t room;
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(check(ends[0], &room), -1);
    cr_assert_str_eq(reason, "its file system (type 1346981957) is not known to be safe for a mapped file");
    close(ends[0]);
    close(ends[1]);
}

Test(place, a_file_system_that_says_nothing) {
    uint64_t room;
    failing_system_arm(1u << FAILING_FSTATFS, 1, 1, 5);
    cr_assert_eq(check(0, &room), -1);
    cr_assert_str_eq(reason, "its file system does not tell what it is");
}

/* Without /proc and /sys no memory cgroup is known; the machine's memory limits still. */
Test(place, without_the_files_of_cgroups) {
    uint64_t room, other;
    int fd = file_in("/dev/shm");
    if (fd < 0)
        cr_skip_test("/dev/shm is not writable");
    cr_assert_eq(check(fd, &other), 0);
    failing_system_arm(1u << FAILING_OPEN, 1, UINT64_MAX, 2);
    cr_assert_eq(check(fd, &room), 0);
    cr_assert_geq(room + room / 4, other);
    close(fd);
}
