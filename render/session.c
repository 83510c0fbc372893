#include "render/session_private.h"

#include "render/kept_names.h"
#include "render/memory.h"
#include "render/session_processes.h"
#include "render/sites.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WARNINGS_MAX 200u

void ts_session_warn(struct ts_session *session, const char *format, ...) {
    if (session->warning_count >= WARNINGS_MAX)
        return;
    struct ts_error line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line.text, sizeof(line.text), format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < session->warning_count; i++)
        if (strcmp(session->warnings[i], line.text) == 0)
            return;
    if (!session->warnings)
        session->warnings = ts_memory_new(WARNINGS_MAX, sizeof(*session->warnings));
    session->warnings[session->warning_count++] = ts_memory_copy(line.text, strlen(line.text));
}

static int has_suffix(const char *name, const char *suffix) {
    size_t bytes = strlen(name);
    size_t suffix_bytes = strlen(suffix);
    return bytes > suffix_bytes && strcmp(name + bytes - suffix_bytes, suffix) == 0;
}

static int compare_paths(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

struct paths {
    char **paths;
    size_t count;
    size_t capacity;
};

static void add_path(struct paths *paths, char *path) {
    paths->paths = ts_memory_grow(paths->paths, &paths->capacity, paths->count + 1, sizeof(*paths->paths));
    paths->paths[paths->count++] = path;
}

static void free_paths(struct paths *paths) {
    for (size_t i = 0; i < paths->count; i++)
        free(paths->paths[i]);
    free(paths->paths);
}

/* The trace files in a directory, and, where `below` is not NULL, its other entries. 0, or -1 and errno. */
static int list_traces(const char *path, struct paths *traces, struct paths *below) {
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        struct paths *to = has_suffix(entry->d_name, ".trace") ? traces : below;
        if (to)
            add_path(to, ts_memory_text("%s/%s", path, entry->d_name));
    }
    closedir(directory);
    return 0;
}

/* Sessions that lie in one directory, as TRACE_OUTPUT=runs/%p puts them. What was moved away is none of them. */
static size_t list_traces_below(const struct paths *entries, struct paths *traces) {
    size_t sessions = 0;
    for (size_t i = 0; i < entries->count; i++) {
        size_t before = traces->count;
        if (!has_suffix(entries->paths[i], ".old") && list_traces(entries->paths[i], traces, NULL) == 0)
            sessions += traces->count > before;
    }
    return sessions;
}

/*
 * The trace files that `path` means; *sessions: of so many directories in it, where it has none itself, else 0. 0, or
 * -1 and the error.
 */
static int find_traces(const char *path, struct paths *paths, size_t *sessions, struct ts_error *error) {
    struct stat status;
    struct paths entries = {0};
    *sessions = 0;
    if (stat(path, &status) < 0)
        return ts_error_set(error, "cannot open %s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode)) {
        add_path(paths, ts_memory_copy(path, strlen(path)));
        return 0;
    }
    if (list_traces(path, paths, &entries) < 0)
        return ts_error_set(error, "cannot open %s: %s", path, strerror(errno));
    if (!paths->count)
        *sessions = list_traces_below(&entries, paths);
    free_paths(&entries);
    if (paths->count)
        qsort(paths->paths, paths->count, sizeof(*paths->paths), compare_paths);
    return 0;
}

static void warn_about(struct ts_session *session, const struct ts_trace *trace) {
    if (!trace->preamble)
        ts_session_warn(session,
                        "%s: its process ended during start-up: the names of its functions are not in the trace",
                        trace->path);
    if (trace->truncated)
        ts_session_warn(session, "%s is cut off (%" PRIu64 " bytes): what lay behind is missing", trace->path,
                        trace->file_bytes);
    if (trace->damaged_windows)
        ts_session_warn(session, "%s: %" PRIu64 " damaged %s left out; everything else was read", trace->path,
                        trace->damaged_windows, trace->damaged_windows == 1 ? "part was" : "parts were");
    if (trace->facts->refused_type)
        ts_session_warn(session, "%s: record type %u is not known to this version: use a newer traceshim", trace->path,
                        trace->facts->refused_type);
    if (trace->clock.source == TS_CLOCK_RATE_GUESS)
        ts_session_warn(session, "%s: the rate of its clock is not known: durations are in ticks, shown as ns",
                        trace->path);
}

static int has_calls(const struct ts_trace *trace) {
    for (size_t i = 0; i < trace->window_count; i++)
        if (trace->windows[i].thread)
            return 1;
    return 0;
}

static int is_instrumented(const struct ts_facts *facts) {
    for (size_t i = 0; i < facts->process_count; i++)
        for (size_t m = 0; m < ts_module_map_count(facts->processes[i].modules); m++)
            if (ts_module_map_at(facts->processes[i].modules, m)->flags & TS_LOAD_INSTRUMENTED)
                return 1;
    return 0;
}

static size_t count_hooked(const struct ts_functions *functions) {
    size_t hooked = 0;
    for (uint32_t id = 0; id < ts_functions_count(functions); id++)
        hooked += ts_functions_at(functions, id)->hooked != NULL;
    return hooked;
}

static int was_paused(const struct ts_session *session) {
    for (size_t i = 0; i < session->trace_count; i++)
        if (session->traces[i]->facts->pause_count)
            return 1;
    return 0;
}

/* A trace without a call is no answer without a reason. */
static void warn_if_empty(struct ts_session *session) {
    int instrumented = 0;
    size_t hooked = count_hooked(session->functions);
    for (size_t i = 0; i < session->trace_count; i++) {
        if (has_calls(session->traces[i]) || session->traces[i]->facts->counts_code)
            return;
        instrumented |= is_instrumented(session->traces[i]->facts);
    }
    if (was_paused(session))
        ts_session_warn(session, "nothing was recorded: recording was paused: see `traceshim info`");
    else if (hooked)
        ts_session_warn(session, "nothing was recorded: %zu %s not called%s: see `traceshim info`", hooked,
                        hooked == 1 ? "function was hooked and" : "functions were hooked and",
                        instrumented ? ", nor an instrumented one that TRACE_FUNCTIONS selects" : "");
    else if (instrumented)
        ts_session_warn(session,
                        "nothing was recorded: no instrumented function was called that TRACE_FUNCTIONS selects");
    else if (session->trace_count)
        ts_session_warn(session, "nothing was recorded: neither the program nor a library of it was compiled with "
                                 "-finstrument-functions");
}

static int open_traces(struct ts_session *session, const struct paths *paths, struct ts_error *error) {
    struct ts_error first = {""};
    session->traces = ts_memory_new(paths->count, sizeof(struct ts_trace *));
    for (size_t i = 0; i < paths->count; i++) {
        struct ts_trace *trace;
        struct ts_error why;
        int result = ts_trace_open(&trace, paths->paths[i], &why);
        if (result != 0) {
            ts_session_warn(session, "%s", why.text);
            if (result < 0 && session->refused_traces++ == 0)
                first = why;
            continue;
        }
        session->traces[session->trace_count++] = trace;
        ts_facts_read(trace, session->functions);
        ts_trace_release(trace);
        warn_about(session, trace);
    }
    if (paths->count && session->refused_traces == paths->count) {
        *error = first;
        return -1;
    }
    warn_if_empty(session);
    if (!session->trace_count)
        ts_session_warn(session, "%s holds no trace: nothing was recorded there", session->directory);
    return 0;
}

/* What earlier renderings kept lies beside the traces, or where all of them were rendered together. */
static void find_kept_names(struct ts_session *session) {
    struct ts_kept_names *kept = ts_functions_kept(session->functions);
    for (size_t i = 0; i < session->trace_count; i++) {
        const char *path = session->traces[i]->path, *slash = strrchr(path, '/');
        char *file = ts_memory_text("%.*s" TS_KEPT_FILE, slash ? (int)(slash - path + 1) : 0, path);
        ts_kept_names_add_file(kept, file);
        free(file);
    }
    char *file = ts_memory_text("%s/" TS_KEPT_FILE, session->directory);
    ts_kept_names_add_file(kept, file);
    free(file);
}

struct ts_session *ts_session_open(const char *path, struct ts_error *error) {
    struct paths paths = {0};
    size_t sessions;
    if (find_traces(path, &paths, &sessions, error) < 0)
        return NULL;
    struct ts_session *session = ts_memory_new(1, sizeof(*session));
    session->directory = ts_memory_copy(path, strlen(path));
    session->functions = ts_functions_new();
    session->sites = ts_sites_new(session->functions);
    if (sessions == 1)
        ts_session_warn(session, "%s holds no trace itself: shown is what the directory in it holds", path);
    else if (sessions)
        ts_session_warn(session, "%s holds no trace itself: shown is what the %zu directories in it hold, together",
                        path, sessions);
    int result = open_traces(session, &paths, error);
    free_paths(&paths);
    if (result < 0) {
        ts_session_close(session);
        return NULL;
    }
    find_kept_names(session);
    ts_session_make_processes(session);
    ts_session_reset_totals(session);
    return session;
}

void ts_session_reset_totals(struct ts_session *session) {
    struct ts_totals totals = {0};
    for (size_t i = 0; i < session->trace_count; i++) {
        const struct ts_trace *trace = session->traces[i];
        for (size_t reason = 0; reason < TS_LOST_SLOTS; reason++)
            totals.lost_events += trace->header.lost_events[reason];
        totals.dropped_calls += trace->header.dropped_calls;
        totals.dropped_windows += trace->header.dropped_windows;
        totals.misnested += trace->header.misnested;
        totals.damaged_windows += trace->damaged_windows;
        totals.file_bytes += trace->data_bytes;
    }
    session->totals = totals;
}

void ts_session_close(struct ts_session *session) {
    if (!session)
        return;
    for (size_t i = 0; i < session->stream_count; i++)
        free(session->streams[i]);
    for (size_t i = 0; i < session->process_count; i++)
        ts_session_process_free(session->processes[i]);
    for (size_t i = 0; i < session->trace_count; i++)
        ts_trace_close(session->traces[i]);
    for (size_t i = 0; i < session->warning_count; i++)
        free(session->warnings[i]);
    ts_sites_free(session->sites);
    ts_functions_free(session->functions);
    free(session->streams);
    free(session->processes);
    free(session->traces);
    free(session->warnings);
    free(session->directory);
    free(session);
}
