#include "preload/output_directory.h"
#include "collector/system.h"
#include "collector/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define SUFFIX_MOST 10000u

struct directory_entry { /* struct linux_dirent64 */
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* Calls `use` for each entry but . and .. until it returns non-zero; returns that, 0 at the end, -errno. */
static int64_t each_entry(const char *path, int (*use)(void *context, const char *name), void *context) {
    _Alignas(8) char buffer[4096];
    int64_t fd = ts_system_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), bytes = 0, result = 0;
    if (ts_system_failed(fd))
        return fd;
    while (!result && (bytes = ts_system_getdents((int)fd, buffer, sizeof buffer)) > 0)
        for (int64_t at = 0; at < bytes && !result;) {
            const struct directory_entry *entry = (const struct directory_entry *)(buffer + at);
            if (!ts_text_equal(entry->name, ".") && !ts_text_equal(entry->name, ".."))
                result = use(context, entry->name);
            at += entry->bytes;
        }
    ts_system_close((int)fd);
    return result ? result : bytes;
}

static int ends_with(const char *name, const char *end) {
    size_t length = ts_text_length(name), suffix = ts_text_length(end);
    return length > suffix && ts_text_equal(name + length - suffix, end);
}

/* What a run leaves: traces, and what is rendered from them (the temporary names included). */
static int is_ours(const char *name) {
    return ends_with(name, ".trace") || ts_text_begins(name, "trace.") || ts_text_begins(name, "tree.") ||
           ts_text_begins(name, "report.") || ts_text_begins(name, "flame.") || ts_text_begins(name, ".traceshim");
}

/* Start of the process in CLOCK_MONOTONIC ns, 0 when it is gone. /proc counts from boot, suspended time included. */
static uint64_t process_start(uint32_t pid) {
    char path[64], content[1024];
    struct ts_text text = TS_TEXT_IN(path);
    ts_text_add(&text, "/proc/");
    ts_text_add_number(&text, pid);
    ts_text_add(&text, "/stat");
    int64_t fd = ts_system_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (ts_system_failed(fd))
        return 0;
    int64_t bytes = ts_system_read((int)fd, content, sizeof content - 1);
    ts_system_close((int)fd);
    if (bytes <= 0)
        return 0;
    content[bytes] = 0;
    const char *at = content + bytes;
    while (at > content && *at != ')') /* the name may hold anything */
        at--;
    for (int field = 2; field < 22 && *at; at++)
        field += *at == ' ';
    uint64_t ticks = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        ticks = ticks * 10 + (uint64_t)(*at - '0');
    uint64_t suspended = ts_system_nanoseconds(CLOCK_BOOTTIME) - ts_system_nanoseconds(CLOCK_MONOTONIC);
    return ticks * 10000000 - suspended + 1; /* USER_HZ is 100 on every Linux */
}

struct look {
    const char *path;
    const uint8_t *trace_id;
    int entries;
    int traces;
    int foreign;
    int running; /* a process of it runs, or it is of the same job */
};

static int look_at(void *context, const char *name) {
    struct look *look = context;
    look->entries++;
    if (!is_ours(name)) {
        look->foreign = 1;
        return 1;
    }
    if (!ends_with(name, ".trace"))
        return 0;
    char path[4096];
    struct ts_text text = TS_TEXT_IN(path);
    ts_text_add(&text, look->path);
    ts_text_add(&text, "/");
    ts_text_add(&text, name);
    struct ts_file_header header;
    int64_t fd = ts_system_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (ts_system_failed(fd))
        return 0;
    int64_t bytes = ts_system_read((int)fd, &header, sizeof header);
    ts_system_close((int)fd);
    if (bytes != (int64_t)sizeof header || header.magic != TS_TRACE_MAGIC) {
        look->foreign = bytes > 0 && header.magic != 0;
        return look->foreign;
    }
    look->traces++;
    int same_job = 1;
    for (unsigned i = 0; i < sizeof header.trace_id; i++)
        same_job &= header.trace_id[i] == look->trace_id[i];
    uint64_t start = process_start(header.pid);
    if (same_job || (start && start <= header.start.monotonic_ns + 1000000000))
        look->running = 1;
    return 0;
}

static int64_t make_directories(const char *path) {
    char part[4096];
    struct ts_text text = TS_TEXT_IN(part);
    int64_t result = 0;
    for (const char *at = path;; at++) {
        if ((*at == '/' || !*at) && text.used) {
            result = ts_system_mkdir(part, 0777);
            struct stat status;
            if (!result && !ts_system_failed(ts_system_stat(part, &status)) && (status.st_mode & 0700) != 0700)
                ts_system_chmod(part, (int)(status.st_mode & 0777) | 0700); /* an umask that would shut us out */
        }
        if (!*at)
            break;
        ts_text_add_bytes(&text, at, 1);
    }
    return text.cut ? -ENAMETOOLONG : result;
}

static int remove_entry(void *context, const char *name) {
    char path[4096];
    struct ts_text text = TS_TEXT_IN(path);
    ts_text_add(&text, context);
    ts_text_add(&text, "/");
    ts_text_add(&text, name);
    if (!text.cut && is_ours(name))
        ts_system_unlink(path);
    return 0;
}

/* Moves the finished run to <path>.old, in place of the finished run that may be there. Anything else is not touched.
 */
static int64_t set_aside(const char *path, const uint8_t *trace_id, struct ts_text *note) {
    static char old[4096 + 8];
    struct ts_text text = TS_TEXT_IN(old);
    ts_text_add(&text, path);
    ts_text_add(&text, ".old");
    struct look look = {.path = old, .trace_id = trace_id};
    if (!ts_system_failed(each_entry(old, look_at, &look)) && !look.foreign && look.traces && !look.running)
        each_entry(old, remove_entry, old);
    ts_system_rmdir(old);
    int64_t result = ts_system_rename(path, old);
    if (ts_system_failed(result))
        return result;
    ts_text_add(note, "the finished run in ");
    ts_text_add(note, path);
    ts_text_add(note, " is now in ");
    ts_text_add(note, old);
    return make_directories(path);
}

void ts_output_directory_say(struct ts_text *reason, int64_t error) {
    ts_text_add(reason, error == -EACCES || error == -EPERM ? "it is not writable"
                        : error == -EROFS                   ? "its file system is read-only"
                        : error == -ENOENT                  ? "its parent directory is gone"
                        : error == -ENOTDIR                 ? "a part of its path is no directory"
                        : error == -ENOSPC                  ? "there is no space"
                        : error == -ENAMETOOLONG            ? "its name is too long"
                        : error == -ENOTEMPTY || error == -EEXIST
                            ? "its .old cannot take the finished run, as it holds other files"
                            : "it cannot be made");
}

enum ts_output_state ts_output_directory_look(const char *path, const uint8_t *trace_id, struct ts_text *reason) {
    struct look look = {.path = path, .trace_id = trace_id};
    int64_t result = each_entry(path, look_at, &look);
    if (ts_system_failed(result)) {
        ts_output_directory_say(reason, result);
        return TS_OUTPUT_REFUSED;
    }
    if (!look.entries)
        return TS_OUTPUT_EMPTY;
    if (look.foreign || !look.traces) {
        ts_text_add(reason, "it holds files that are not a trace");
        return TS_OUTPUT_REFUSED;
    }
    return look.running ? TS_OUTPUT_RUNNING : TS_OUTPUT_FINISHED;
}

enum ts_output_outcome ts_output_directory_prepare(struct ts_text *path, int is_pattern, const uint8_t *trace_id,
                                                   struct ts_text *reason, struct ts_text *note) {
    size_t plain = path->used;
    for (unsigned suffix = 1; suffix <= SUFFIX_MOST; suffix++) {
        if (suffix > 1) {
            path->used = plain;
            ts_text_add(path, "-");
            ts_text_add_number(path, suffix);
        }
        if (path->cut)
            break;
        int64_t made = make_directories(path->start);
        if (made == 0)
            return TS_OUTPUT_MADE;
        if (made != -EEXIST) {
            ts_output_directory_say(reason, made);
            return TS_OUTPUT_FAILED;
        }
        enum ts_output_state state = ts_output_directory_look(path->start, trace_id, reason);
        if (state == TS_OUTPUT_EMPTY)
            return TS_OUTPUT_MADE;
        if (state != TS_OUTPUT_FINISHED)
            return state == TS_OUTPUT_RUNNING ? TS_OUTPUT_JOINED : TS_OUTPUT_FAILED;
        if (is_pattern)
            continue;
        int64_t result = set_aside(path->start, trace_id, note);
        if (!ts_system_failed(result))
            return TS_OUTPUT_MADE;
        ts_output_directory_say(reason, result);
        return TS_OUTPUT_FAILED;
    }
    ts_text_add(reason, "its name is too long");
    return TS_OUTPUT_FAILED;
}

void ts_output_directory_remove(const char *path) {
    ts_system_rmdir(path);
}
