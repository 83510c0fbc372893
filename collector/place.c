#include "collector/place.h"
#include "collector/system.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/sysinfo.h>

#define XFS_MAGIC 0x58465342

/* File systems where a populated page stays writable whatever happens to the disk: tried, see the notes in README. */
#define SAFE_PLACES(X)                                                                                                 \
    X(EXT4_SUPER_MAGIC)                                                                                                \
    X(XFS_MAGIC)                                                                                                       \
    X(TMPFS_MAGIC)                                                                                                     \
    X(RAMFS_MAGIC)                                                                                                     \
    X(OVERLAYFS_SUPER_MAGIC)

static const struct {
    uint32_t magic;
    const char *name;
} refused[] = {
    {NFS_SUPER_MAGIC, "NFS"},     {CIFS_SUPER_MAGIC, "CIFS"}, {SMB2_SUPER_MAGIC, "SMB"}, {FUSE_SUPER_MAGIC, "FUSE"},
    {0x2fc12fc1, "ZFS"},          {0xca451a4e, "bcachefs"},   {0x0bd00bd0, "Lustre"},    {CEPH_SUPER_MAGIC, "Ceph"},
    {AFS_SUPER_MAGIC, "AFS"},     {V9FS_MAGIC, "9p"},         {0x47504653, "GPFS"},      {F2FS_SUPER_MAGIC, "F2FS"},
    {PROC_SUPER_MAGIC, "procfs"}, {SYSFS_MAGIC, "sysfs"},
};

static int64_t read_file(const char *path, char *buffer, size_t size) {
    int64_t fd = ts_system_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (ts_system_failed(fd))
        return -1;
    int64_t bytes = ts_system_read((int)fd, buffer, size - 1);
    ts_system_close((int)fd);
    if (bytes < 0)
        return -1;
    buffer[bytes] = 0;
    return bytes;
}

/* A number at the start of a file; UINT64_MAX when there is none ("max"). */
static uint64_t read_number(const char *directory, size_t length, const char *name) {
    char path[4096 + 64], content[64];
    struct ts_text text = TS_TEXT_IN(path);
    ts_text_add_bytes(&text, directory, length);
    ts_text_add(&text, name);
    if (text.cut || read_file(path, content, sizeof content) <= 0 || content[0] < '0' || content[0] > '9')
        return UINT64_MAX;
    uint64_t number = 0;
    for (const char *digit = content; *digit >= '0' && *digit <= '9' && number < UINT64_MAX / 16; digit++)
        number = number * 10 + (uint64_t)(*digit - '0');
    return number;
}

/* What the memory cgroups of this process and those above them leave; UINT64_MAX: no limit is known. */
static uint64_t cgroup_memory_left(void) {
    char groups[4096], path[4096 + 32];
    uint64_t left = UINT64_MAX;
    if (read_file("/proc/self/cgroup", groups, sizeof groups) <= 0)
        return left;
    for (char *line = groups; *line;) {
        char *end = line, *name = line;
        while (*end && *end != '\n')
            end++;
        while (name < end && *name != ':')
            name++;
        int unified = ts_text_begins(name, "::"), memory = ts_text_begins(name, ":memory:");
        if (unified || memory) {
            struct ts_text text = TS_TEXT_IN(path);
            ts_text_add(&text, unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
            size_t root = text.used;
            name += unified ? 2 : 8;
            ts_text_add_bytes(&text, name, (size_t)(end - name));
            for (size_t length = text.used; length >= root && !text.cut; length--) {
                if (length != text.used && path[length] != '/' && length != root)
                    continue;
                uint64_t limit = read_number(path, length, unified ? "/memory.max" : "/memory.limit_in_bytes");
                uint64_t used = read_number(path, length, unified ? "/memory.current" : "/memory.usage_in_bytes");
                if (limit != UINT64_MAX && used != UINT64_MAX) {
                    uint64_t rest = limit > used ? limit - used : 0;
                    left = rest < left ? rest : left;
                }
            }
        }
        line = *end ? end + 1 : end;
    }
    return left;
}

static int make_overwritable(int fd) {
    int flags = 0;
    if (ts_system_failed(ts_system_ioctl(fd, FS_IOC_GETFLAGS, &flags)))
        return -1;
    flags |= FS_NOCOW_FL;
    return ts_system_failed(ts_system_ioctl(fd, FS_IOC_SETFLAGS, &flags)) ? -1 : 0;
}

int ts_place_check(int fd, uint64_t *room, struct ts_text *reason) {
    struct statfs status;
    if (ts_system_failed(ts_system_fstatfs(fd, &status))) {
        ts_text_add(reason, "its file system does not tell what it is");
        return -1;
    }
    uint32_t magic = (uint32_t)status.f_type;
    *room = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
    if (magic == BTRFS_SUPER_MAGIC) {
        if (make_overwritable(fd) == 0)
            return 0;
        ts_text_add(reason, "it is on btrfs, which refused to switch off copy-on-write");
        return -1;
    }
    if (magic == TMPFS_MAGIC || magic == RAMFS_MAGIC) {
        struct sysinfo memory;
        uint64_t left = cgroup_memory_left();
        if (sysinfo(&memory) == 0) {
            uint64_t free = ((uint64_t)memory.freeram + memory.bufferram) * memory.mem_unit;
            left = free < left ? free : left;
        }
        if (left / 8 < *room || magic == RAMFS_MAGIC)
            *room = left / 8;
        return 0;
    }
    if (magic == OVERLAYFS_SUPER_MAGIC)
        make_overwritable(fd); /* reaches the upper layer, which may be btrfs; others refuse, and need it not */
#define X(safe)                                                                                                        \
    if (magic == (uint32_t)(safe))                                                                                     \
        return 0;
    SAFE_PLACES(X)
#undef X
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (magic == refused[i].magic) {
            ts_text_add(reason, "it is on ");
            ts_text_add(reason, refused[i].name);
            ts_text_add(reason, ", where a mapped file can end the program");
            return -1;
        }
    ts_text_add(reason, "its file system (type ");
    ts_text_add_number(reason, magic);
    ts_text_add(reason, ") is not known to be safe for a mapped file");
    return -1;
}
