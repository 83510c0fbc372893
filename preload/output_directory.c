#include "preload/output_directory.h"
#include "collector/placement.h"
#include "collector/system.h"
#include "collector/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define SUFFIX_MOST 10000u
/* Others may change a directory between the look at it and what follows: it is looked at again. */
#define LOOKS_MOST 100u
#define LOCK_WAIT_MS 1000u

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

/* The process of <pid>.trace and <pid>.<image>.trace, whose header is not written yet or is lost; 0: another name. */
static uint32_t pid_in_name(const char *name) {
    uint64_t pid = 0;
    for (; *name >= '0' && *name <= '9' && pid < UINT32_MAX; name++)
        pid = pid * 10 + (uint64_t)(*name - '0');
    return *name == '.' && pid < UINT32_MAX ? (uint32_t)pid : 0;
}

struct look {
    const char *path;
    const uint8_t *trace_id;
    int entries;
    int traces;
    int foreign;
    int running; /* a process of it runs */
    int same_job;
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
        uint32_t pid = pid_in_name(name);
        look->foreign = !pid || (bytes > 0 && header.magic != 0);
        look->running |= pid && process_start(pid) != 0; /* it is about to write the header */
        look->traces += !look->foreign;
        return look->foreign;
    }
    look->traces++;
    int same_job = 1;
    for (unsigned i = 0; i < sizeof header.trace_id; i++)
        same_job &= header.trace_id[i] == look->trace_id[i];
    uint64_t start = process_start(header.pid);
    look->same_job |= same_job;
    look->running |= start && start <= header.start.monotonic_ns + 1000000000;
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

static int64_t is_working_directory(const struct stat *status) {
    struct stat here;
    return !ts_system_failed(ts_system_stat(".", &here)) && here.st_dev == status->st_dev &&
           here.st_ino == status->st_ino;
}

/*
 * A descriptor of the directory, locked so that of several programs that find a finished run there one moves it;
 * -EAGAIN when it is not the one at `path` any more. Where there are no locks there is none.
 */
static int64_t lock_directory(const char *path) {
    struct stat locked, there;
    int64_t fd = ts_system_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), error = 0;
    if (ts_system_failed(fd))
        return fd;
    for (unsigned wait = 0; ts_system_flock((int)fd, LOCK_EX | LOCK_NB) == -EWOULDBLOCK && wait < LOCK_WAIT_MS; wait++)
        ts_system_sleep(1000000);
    if (ts_system_failed(error = ts_system_fstat((int)fd, &locked)) ||
        ts_system_failed(error = ts_system_stat(path, &there)) ||
        (error = locked.st_ino != there.st_ino || locked.st_dev != there.st_dev ? -EAGAIN : 0) ||
        (error = is_working_directory(&locked) ? -EBUSY : 0)) {
        ts_system_close((int)fd);
        return error == -ENOENT ? -EAGAIN : error;
    }
    return fd;
}

/*
 * Moves the finished run to <path>.old, in place of the finished run that may be there. Anything else is not touched.
 * Then `path` is free; -EAGAIN when another program was faster.
 */
static int64_t set_aside(const char *path, const uint8_t *trace_id, struct ts_text *note) {
    TS_LARGE_TABLE static char old[4096 + 8];
    struct ts_text text = TS_TEXT_IN(old);
    int64_t fd = lock_directory(path), result = -EAGAIN;
    if (ts_system_failed(fd))
        return fd;
    struct look now = {.path = path, .trace_id = trace_id};
    if (ts_system_failed(each_entry(path, look_at, &now)) || now.foreign || now.running)
        goto out;
    ts_text_add(&text, path);
    ts_text_add(&text, ".old");
    struct look look = {.path = old, .trace_id = trace_id};
    if (!ts_system_failed(each_entry(old, look_at, &look)) && !look.foreign && look.traces && !look.running)
        each_entry(old, remove_entry, old);
    ts_system_rmdir(old);
    result = ts_system_rename(path, old);
    if (ts_system_failed(result))
        goto out;
    ts_text_add(note, "the finished run in ");
    ts_text_add(note, path);
    ts_text_add(note, " is now in ");
    ts_text_add(note, old);
out:
    ts_system_close((int)fd);
    return result;
}

void ts_output_directory_say(struct ts_text *reason, int64_t error) {
    ts_text_add(reason, error == -EACCES || error == -EPERM ? "it is not writable"
                        : error == -EROFS                   ? "its file system is read-only"
                        : error == -ENOENT                  ? "its parent directory is gone"
                        : error == -ENOTDIR                 ? "a part of its path is no directory"
                        : error == -ENOSPC                  ? "there is no space"
                        : error == -ENAMETOOLONG            ? "its name is too long"
                        : error == -EBUSY                   ? "the finished run there is in the working directory"
                        : error == -EAGAIN                  ? "other programs keep changing it"
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
    return look.same_job ? TS_OUTPUT_SAME_JOB : look.running ? TS_OUTPUT_RUNNING : TS_OUTPUT_FINISHED;
}

/* A path that is a symbolic link becomes the path of the directory that it leads to. -errno where there is none. */
static int64_t follow_link(struct ts_text *path) {
    char followed[4096], link[64];
    if (ts_system_failed(ts_system_readlink(path->start, followed, sizeof followed)))
        return 0;
    int64_t fd = ts_system_open(path->start, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (ts_system_failed(fd))
        return fd;
    struct ts_text name = TS_TEXT_IN(link);
    ts_text_add(&name, "/proc/self/fd/");
    ts_text_add_number(&name, (uint64_t)fd);
    int64_t bytes = ts_system_readlink(link, followed, sizeof followed);
    ts_system_close((int)fd);
    if (bytes > 0 && followed[0] == '/') {
        path->used = 0;
        ts_text_add_bytes(path, followed, (size_t)bytes);
    }
    return 0;
}

enum { TAKEN = TS_OUTPUT_FAILED + 1, LOOK_AGAIN };

/* One name: an outcome, TAKEN by a finished run, or LOOK_AGAIN. */
static int try_name(struct ts_text *path, int is_pattern, const uint8_t *trace_id, struct ts_text *reason,
                    struct ts_text *note) {
    int64_t result = make_directories(path->start);
    if (result == 0)
        return TS_OUTPUT_MADE;
    if (result == -EEXIST && follow_link(path) == -ENOENT) {
        ts_text_add(reason, "it is a symbolic link that leads nowhere");
        return TS_OUTPUT_FAILED;
    }
    if (ts_system_failed(result) && result != -EEXIST) {
        ts_output_directory_say(reason, result);
        return TS_OUTPUT_FAILED;
    }
    switch (ts_output_directory_look(path->start, trace_id, reason)) {
    case TS_OUTPUT_EMPTY:
        return TS_OUTPUT_MADE;
    case TS_OUTPUT_SAME_JOB:
        return TS_OUTPUT_JOINED;
    case TS_OUTPUT_RUNNING:
        return TS_OUTPUT_SHARED;
    case TS_OUTPUT_REFUSED:
        return TS_OUTPUT_FAILED;
    case TS_OUTPUT_FINISHED:
        break;
    }
    if (is_pattern)
        return TAKEN;
    result = set_aside(path->start, trace_id, note);
    if (result == 0 || result == -EAGAIN)
        return LOOK_AGAIN;
    ts_output_directory_say(reason, result);
    return TS_OUTPUT_FAILED;
}

enum ts_output_outcome ts_output_directory_prepare(struct ts_text *path, int is_pattern, const uint8_t *trace_id,
                                                   struct ts_text *reason, struct ts_text *note) {
    size_t plain = path->used;
    unsigned looks = 0;
    for (unsigned suffix = 1; suffix <= SUFFIX_MOST && looks < LOOKS_MOST;) {
        if (path->cut)
            break;
        int outcome = try_name(path, is_pattern, trace_id, reason, note);
        if (outcome <= TS_OUTPUT_FAILED)
            return (enum ts_output_outcome)outcome;
        looks = outcome == LOOK_AGAIN ? looks + 1 : 0;
        if (outcome == LOOK_AGAIN)
            continue;
        path->used = plain;
        ts_text_add(path, "-");
        ts_text_add_number(path, ++suffix);
    }
    if (looks < LOOKS_MOST)
        ts_text_add(reason, "its name is too long");
    else
        ts_output_directory_say(reason, -EAGAIN);
    return TS_OUTPUT_FAILED;
}

void ts_output_directory_remove(const char *path) {
    ts_system_rmdir(path);
}
