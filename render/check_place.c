#include "collector/place.h"
#include "collector/trace_size.h"
#include "preload/options.h"
#include "preload/output_directory.h"
#include "preload/output_pattern.h"
#include "render/check_parts.h"
#include "render/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A place that the shim would try, as far as it can be known without making anything there. */
struct place {
    char path[PATH_MAX];
    char reason[512]; /* why it cannot be used */
    char note[512];   /* what a person should know of the size */
    uint64_t bytes;   /* that the trace may take */
    bool is_refused;  /* because of its file system: the shim then tries another */
    bool is_joined;
    bool is_finished; /* a run that has ended is there and would be set aside */
};

/* A file that goes when it is closed: where the trace would be made. -errno: none can be made. */
static int make_file(const char *directory) {
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), error = errno;
    if (fd >= 0)
        return fd;
    if (error != EOPNOTSUPP && error != EISDIR && error != EINVAL)
        return -error;
    /* The file system makes none without a name. */
    char *name = ts_memory_text("%s/.traceshim.XXXXXX", directory);
    fd = mkostemp(name, O_CLOEXEC);
    error = errno;
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd < 0 ? -error : fd;
}

/* The directory itself, or the one that is there of those above it. In place. */
static void go_up_to_existing(char *directory) {
    struct stat status;
    while (directory[1] && stat(directory, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        char *slash = strrchr(directory, '/');
        slash[slash == directory] = '\0';
    }
}

static int check_size(struct place *place, const char *directory, uint64_t max_bytes) {
    struct ts_text reason = TS_TEXT_IN(place->reason), note = TS_TEXT_IN(place->note);
    uint64_t room = 0, step_bytes;
    int fd = make_file(directory);
    if (fd < 0) {
        ts_output_directory_say(&reason, fd);
        return -1;
    }
    int refused = ts_place_check(fd, &room, &reason);
    close(fd);
    place->is_refused = refused != 0;
    if (refused)
        return -1;
    place->bytes = ts_trace_size_choose(max_bytes, room, !ts_trace_size_populates(), &step_bytes, &note);
    if (place->bytes >= TS_TRACE_SIZE_LEAST)
        return 0;
    ts_text_add(&reason, TS_TRACE_SIZE_NO_ROOM);
    return -1;
}

/* A directory that is there already. */
static int look_at(struct place *place) {
    static const uint8_t no_trace[16];
    struct ts_text reason = TS_TEXT_IN(place->reason);
    enum ts_output_state state = ts_output_directory_look(place->path, no_trace, &reason);
    place->is_joined = state == TS_OUTPUT_RUNNING || state == TS_OUTPUT_SAME_JOB;
    place->is_finished = state == TS_OUTPUT_FINISHED;
    return state == TS_OUTPUT_REFUSED ? -1 : 0;
}

/* 0, or -1 and place->reason. */
static int try_place(struct place *place, const char *pattern, const char *program, uint64_t max_bytes) {
    struct stat status;
    *place = (struct place){.bytes = 0};
    struct ts_text path = TS_TEXT_IN(place->path), reason = TS_TEXT_IN(place->reason);
    int is_pattern = ts_output_pattern_fill(&path, pattern, program, environ);
    if (path.cut || place->path[0] != '/') {
        ts_text_add(&reason, path.cut ? "its name is too long" : "there is no working directory");
        return -1;
    }
    /* A name that is made for each run is not taken, or the next one is. */
    if (!is_pattern && stat(place->path, &status) == 0 && look_at(place) != 0)
        return -1;
    char *directory = ts_memory_text("%s", place->path);
    go_up_to_existing(directory);
    int failed = check_size(place, directory, max_bytes);
    free(directory);
    return failed;
}

static void add_usable(struct ts_check *check, const struct place *place, const char *pattern) {
    ts_check_add(check, TS_CHECK_OK, "the trace goes to %s and may take %llu MiB", pattern,
                 (unsigned long long)place->bytes >> 20);
    if (place->note[0])
        ts_check_add(check, TS_CHECK_NOTE, "%s", place->note);
    if (place->is_joined)
        ts_check_add(check, TS_CHECK_NOTE, "a run is going on in %s: the trace would become part of it", place->path);
    if (place->is_finished)
        ts_check_add(check, TS_CHECK_NOTE, "the finished run in %s would be moved to %s.old", place->path, place->path);
}

void ts_check_place(struct ts_check *check, const char *path, const struct ts_options *options) {
    const char *wanted = options->output ? options->output : TS_OUTPUT_DEFAULT;
    struct place *first = ts_memory_new(2, sizeof *first), *second = first + 1;
    char pattern[PATH_MAX];
    struct ts_text fallback = TS_TEXT_IN(pattern);
    ts_output_pattern_temporary(&fallback, environ);
    if (try_place(first, wanted, path, options->max_size) == 0) {
        add_usable(check, first, wanted);
    } else if (options->output && !first->is_refused) {
        ts_check_add(check, TS_CHECK_FAIL, "%s cannot be used: %s; TRACE_OUTPUT names another place", wanted,
                     first->reason);
    } else if (try_place(second, pattern, path, options->max_size) == 0) {
        ts_check_add(check, TS_CHECK_NOTE, "%s cannot be used: %s; the trace goes to %s", wanted, first->reason,
                     pattern);
        add_usable(check, second, pattern);
    } else {
        ts_check_add(check, TS_CHECK_FAIL, "%s cannot be used: %s, nor %s: %s; TRACE_OUTPUT names another place",
                     wanted, first->reason, pattern, second->reason);
    }
    free(first);
}
