#include "render/render_directory.h"

#include "collector/trace_format.h"
#include "render/command.h"
#include "render/failures.h"
#include "render/format_names.h"
#include "render/info.h"
#include "render/kept_names_write.h"
#include "render/memory.h"
#include "render/output.h"
#include "render/paint.h"
#include "render/progress.h"
#include "render/replay.h"
#include "render/screen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A first look is at most 40 lines: the tree, what failed, what is missing, and where everything is. */
enum { TREE_LINES = 28, FAILED_LINES = 6 };

struct render {
    const char *directory;
    const struct ts_render_options *options;
    struct ts_session *session;
    const struct ts_format **formats;
    size_t format_count;
    bool *written;                     /* by index of formats */
    const struct ts_format *too_large; /* for its viewer: another was written in its place; NULL: none */
    int status;
};

static void fail(struct render *render, const struct ts_error *error) {
    render->status = TS_STATUS_FAILED;
    if (!render->options->quiet)
        ts_command_tell("%s", error->text);
}

static char *path_of(const struct render *render, const struct ts_format *format) {
    return ts_memory_text("%s/%s", render->directory, format->file_name);
}

static bool write_file(struct render *render, const struct ts_format *format) {
    const struct ts_format_options everything = {.view = TS_TREE_AUTO,
                                                 .max_calls = render->options->all ? 0 : TS_VIEWER_CALLS_MAX};
    struct ts_output output;
    struct ts_error error, closing;
    char *path = path_of(render, format);
    bool written = false;
    if (ts_output_open(&output, path, &error) == 0) {
        int result = format->write(render->session, &everything, output.stream, &error);
        int closed = ts_output_close(&output, result == 0, &closing);
        if (closed != 0)
            error = closing;
        written = result == 0 && closed == 0;
    }
    if (!written)
        fail(render, &error);
    free(path);
    return written;
}

/* The first format that was written and is `wanted`; NULL where there is none. */
static const struct ts_format *first_written(const struct render *render,
                                             bool (*wanted)(const struct ts_format *format)) {
    for (size_t i = 0; i < render->format_count; i++)
        if (render->written[i] && wanted(render->formats[i]))
            return render->formats[i];
    return NULL;
}

static bool is_any(const struct ts_format *format) {
    (void)format;
    return true;
}

/* Exact once a format was written: an upper bound before. */
static uint64_t calls_of(const struct render *render) {
    return first_written(render, is_any) ? render->session->totals.calls : ts_replay_estimate_calls(render->session);
}

static void keep_names(struct render *render) {
    struct ts_error error;
    if (ts_kept_names_write(render->session, render->directory, &error) != 0)
        fail(render, &error);
}

static void show_tree(struct render *render) {
    const struct ts_format_options screen = {.screen_lines = TREE_LINES, .colour = ts_paint_wanted(STDERR_FILENO)};
    unsigned width = ts_screen_width(STDERR_FILENO);
    struct ts_error error;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes); /* standard error has no buffer: a line is many small writes */
    if (!out)
        return;
    FILE *cut = width ? ts_screen_cut(out, width) : NULL;
    int result = ts_formats_find("tree")->write(render->session, &screen, cut ? cut : out, &error);
    if (calls_of(render) > TREE_LINES) /* else the tree shows every call */
        ts_failures_write(render->session, FAILED_LINES, screen.colour, cut ? cut : out);
    if (cut)
        fclose(cut);
    if (fclose(out) == 0 && result == 0)
        fwrite(text, 1, bytes, stderr);
    else if (result != 0)
        fail(render, &error);
    free(text);
}

static char *written_path(const struct render *render, bool (*wanted)(const struct ts_format *format)) {
    const struct ts_format *format = first_written(render, wanted);
    return format ? path_of(render, format) : NULL;
}

static bool has_viewer(const struct ts_format *format) {
    return format->viewer != NULL;
}

static bool is_tree(const struct ts_format *format) {
    return format->write == ts_format_tree;
}

/* It has not told its end, and is there: a zombie has no executable any more. */
static bool still_runs(const struct ts_process *process) {
    char *link = ts_memory_text("/proc/%" PRIu32 "/exe", process->pid), path[1];
    bool runs = process->end_reason == TS_END_NOT_SEEN && (readlink(link, path, sizeof path) > 0 || errno == EACCES);
    free(link);
    return runs;
}

static void tell_running(const struct render *render) {
    size_t count = 0;
    for (size_t i = 0; i < render->session->process_count; i++)
        count += still_runs(render->session->processes[i]);
    if (count)
        ts_command_tell("%zu %s: for what %s later: traceshim render %s", count,
                        count == 1 ? "process still runs" : "processes still run", count == 1 ? "it does" : "they do",
                        render->directory);
}

static void tell_where(const struct render *render) {
    ts_command_tell_problems(render->session);
    const char *directory = render->directory;
    char *opened = written_path(render, has_viewer), *tree = written_path(render, is_tree);
    char *any = written_path(render, is_any);
    const char *viewer = opened ? first_written(render, has_viewer)->viewer : NULL;
    uint64_t calls = calls_of(render);
    const char *noun = calls == 1 ? "call" : "calls";
    char *also = tree ? ts_memory_text(" (full tree: %s)", tree) : ts_memory_text("%s", "");
    if (render->too_large && opened)
        ts_command_tell("%" PRIu64 " calls are too many for JSON; open %s in %s%s; the longest %d as JSON: traceshim "
                        "export --format=%s -o %s/%s %s",
                        calls, opened, viewer, also, TS_VIEWER_CALLS_MAX, render->too_large->name, directory,
                        render->too_large->file_name, directory);
    else if (opened)
        ts_command_tell("%" PRIu64 " %s; open %s in %s%s", calls, noun, opened, viewer, also);
    else if (tree)
        ts_command_tell("%" PRIu64 " %s; full tree: %s", calls, noun, tree);
    else if (any)
        ts_command_tell("%" PRIu64 " %s; written: %s", calls, noun, any);
    else if (!render->format_count)
        ts_command_tell("the trace is in %s; nothing was rendered (format none)", directory);
    free(opened);
    free(tree);
    free(any);
    free(also);
}

/* In place of formats that are too large for their viewer, those that are not. */
static void replace_large(struct render *render) {
    if (render->options->all || calls_of(render) <= TS_VIEWER_CALLS_MAX)
        return;
    size_t count = 0;
    for (size_t i = 0; i < render->format_count; i++) {
        const struct ts_format *format = render->formats[i];
        if (format->larger) {
            render->too_large = format;
            format = ts_formats_find(format->larger);
        }
        size_t known = 0;
        while (known < count && render->formats[known] != format)
            known++;
        render->formats[known] = format;
        count += known == count;
    }
    render->format_count = count;
}

static struct ts_session *open_session(struct render *render) {
    struct ts_error error;
    struct stat status;
    struct ts_session *session = NULL;
    if (stat(render->directory, &status) != 0)
        ts_error_set(&error, "%s: %s", render->directory, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        ts_error_set(&error, "%s is no directory", render->directory);
    else
        session = ts_session_open(render->directory, &error);
    if (!session) {
        fail(render, &error);
        return NULL;
    }
    /* The tree of an empty session tells them itself, as its reasons. */
    int told = render->options->quiet || !ts_replay_estimate_calls(session);
    for (size_t i = 0; i < session->warning_count && !told; i++)
        ts_command_tell("%s", session->warnings[i]);
    return session;
}

int ts_render_directory(const char *directory, const struct ts_render_options *options) {
    struct render render = {.directory = directory, .options = options};
    struct ts_error error;
    bool unknown;
    bool chosen = options->formats && options->formats[0];
    render.formats = ts_format_names_parse(chosen ? options->formats : TS_RENDER_DEFAULT_FORMATS, &render.format_count,
                                           &unknown, &error);
    render.written = ts_memory_new(render.format_count, sizeof *render.written);
    if (unknown)
        fail(&render, &error);

    render.session = open_session(&render);
    if (!render.session)
        goto out;
    struct ts_progress progress = ts_progress_on(options->quiet ? -1 : STDERR_FILENO);
    render.session->progress = &progress;
    replace_large(&render);
    for (size_t i = 0; i < render.format_count; i++)
        render.written[i] = write_file(&render, render.formats[i]);
    if (!options->quiet && render.format_count) {
        show_tree(&render);
        ts_info_write_summary(render.session, stderr);
    }
    if (render.format_count)
        keep_names(&render);
    if (!options->quiet) {
        if (ts_replay_estimate_calls(render.session)) /* else the tree has told why there is nothing */
            tell_where(&render);
        tell_running(&render);
    }
    ts_session_close(render.session);
out:
    free(render.written);
    free(render.formats);
    return render.status;
}
