#include "render/run_places.h"

#include "render/memory.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY "libtraceshim.so"

char *ts_run_places_library(struct ts_error *error) {
    static const char *const places[] = {LIBRARY, "../lib/traceshim/" LIBRARY, "../lib/" LIBRARY};
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) {
        ts_error_set(error, "cannot find my own path in /proc/self/exe: %s", strerror(errno));
        return NULL;
    }
    own[length] = '\0';
    char *name = strrchr(own, '/') + 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *candidate = ts_memory_text("%.*s%s", (int)(name - own), own, places[i]);
        char *library = realpath(candidate, NULL);
        free(candidate);
        if (library && strpbrk(library, ": ")) {
            ts_error_set(error, "%s: LD_PRELOAD cannot name a path with a space or a colon; move it", library);
            free(library);
            return NULL;
        }
        if (library)
            return library;
    }
    ts_error_set(error, LIBRARY " is not beside %s, nor in ../lib/traceshim or ../lib from there", own);
    return NULL;
}

/* The pattern as one for glob(): %p is the pid, %% a percent sign, what only the library can fill in is a star. */
static char *glob_of(const char *pattern, pid_t pid) {
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return ts_memory_copy("", 0);
    for (const char *c = pattern; *c; c++) {
        if (*c == '%' && c[1] == 'p')
            fprintf(out, "%ld", (long)pid);
        else if (*c == '%' && c[1] == '%')
            fputc('%', out);
        else if (*c == '%' && c[1])
            fputc('*', out);
        else if (strchr("*?[\\", *c))
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
        c += *c == '%' && c[1];
    }
    return fclose(out) == 0 ? text : ts_memory_copy("", 0);
}

/* Keeps the newest file that matches: an older one is of another process with the same number. */
static void look(const char *pattern, char **newest, struct timespec *time) {
    glob_t found;
    struct stat status;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (stat(found.gl_pathv[i], &status) != 0)
            continue;
        if (*newest && (status.st_ctim.tv_sec < time->tv_sec ||
                        (status.st_ctim.tv_sec == time->tv_sec && status.st_ctim.tv_nsec <= time->tv_nsec)))
            continue;
        free(*newest);
        *newest = ts_memory_copy(found.gl_pathv[i], strlen(found.gl_pathv[i]));
        *time = status.st_ctim;
    }
    globfree(&found);
}

char *ts_run_places_trace(const char *pattern, pid_t pid) {
    struct timespec time = {0};
    char *newest = NULL, *directory = glob_of(pattern, pid);
    const char *temporary = getenv("TMPDIR");
    const char *slash = strrchr(directory, '/');
    const char *name = slash ? slash + 1 : directory;
    if (!temporary || !temporary[0])
        temporary = P_tmpdir;
    char *places[] = {
        ts_memory_text("%s/%ld.trace", directory, (long)pid),
        ts_memory_text("%s-[0-9]*/%ld.trace", directory, (long)pid),
        ts_memory_text("%s/%s/%ld.trace", temporary, name, (long)pid),
        ts_memory_text("%s/%s-[0-9]*/%ld.trace", temporary, name, (long)pid),
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        look(places[i], &newest, &time);
        free(places[i]);
    }
    free(directory);
    if (newest)
        *strrchr(newest, '/') = '\0';
    return newest;
}
