#include "render/check.h"
#include "render/check_option.h"
#include "render/command.h"
#include "render/format_names.h"
#include "render/hook_option.h"
#include "render/memory.h"
#include "render/program_find.h"
#include "render/render_directory.h"
#include "render/run_child.h"
#include "render/run_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_OUTPUT "traceshim.%p"
enum { STATUS_SIGNAL = 128, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

enum value { VALUE_ANY, VALUE_READ, VALUE_FORMATS, VALUE_HOOKS };

/* The recorder reads its options from the environment; these are their names on the command line. */
static const struct setting {
    const char *option;
    const char *value;
    const char *variable;
    enum value kind;
    const char *help;
} settings[] = {
    {"--level", "N", "TRACE_LEVEL", VALUE_READ, "How much is recorded: 0 nothing, 1 calls (default), 2 + lines, 3 all"},
    {"--output", "DIR", "TRACE_OUTPUT", VALUE_ANY,
     "Directory for the trace; default " DEFAULT_OUTPUT " (%p: process id)"},
    {"--functions", "GLOBS", "TRACE_FUNCTIONS", VALUE_ANY,
     "Instrumented functions to record; `-` before one excludes it"},
    {"--hooks", "SELECTION", "TRACE_HOOKS", VALUE_HOOKS,
     "Library calls to record: packs, globs, `-` before one excludes it; see traceshim hooks"},
    {"--format", "LIST", "TRACE_FORMAT", VALUE_FORMATS,
     "Output files; default " TS_RENDER_DEFAULT_FORMATS ", `none` for none"},
    {"--max-size", "SIZE", "TRACE_MAX_SIZE", VALUE_READ, "Largest trace file, for example 512M"},
    {"--full", "stop|ring", "TRACE_FULL", VALUE_READ,
     "When it is full, keep the oldest (stop) or the newest (ring, default)"},
    {"--depth", "N", "TRACE_DEPTH", VALUE_READ, "Record calls nested up to N deep; 0, the default: all"},
    {"--min-duration", "TIME", "TRACE_MIN_DURATION", VALUE_READ,
     "Leave out innermost calls shorter than this, for example 10us"},
    {"--start", "on|paused", "TRACE_START", VALUE_READ,
     "Record from the start (on, default), or from --signal on (paused)"},
    {"--signal", "SIGNAL", "TRACE_SIGNAL", VALUE_READ,
     "Each delivery pauses recording or lets it go on: USR2, RTMIN+3, 12"},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

struct run {
    const char *values[SETTINGS]; /* NULL: not given */
    char *library;
    bool sanitizer_comes_later; /* than the library, which it would not have without being told */
};

static int check_hooks(const struct setting *setting, const char *value, struct ts_error *error) {
    struct ts_hook_selection selection;
    char *wrong;
    ts_hook_option_parse(&selection, value, &wrong);
    free(selection.rules);
    int status = wrong ? ts_error_set(error, "%s: %s", setting->option, wrong) : 0;
    free(wrong);
    return status;
}

static int check_value(const struct setting *setting, const char *value, struct ts_error *error) {
    size_t count;
    bool unknown;
    switch (setting->kind) {
    case VALUE_READ:
        return value[0] && ts_check_option(setting->variable, value)
                   ? 0
                   : ts_error_set(error, "%s: '%s' is not understood; %s", setting->option, value, setting->help);
    case VALUE_FORMATS:
        free(ts_format_names_parse(value, &count, &unknown, error));
        return unknown ? -1 : 0;
    case VALUE_HOOKS:
        return check_hooks(setting, value, error);
    case VALUE_ANY:
        break;
    }
    return 0;
}

/*
 * Not by putting the runtime in front of LD_PRELOAD: it would be in every program that this one executes, and look for
 * leaks in them.
 */
static void allow_sanitizer_later(void) {
    const char *given = getenv("ASAN_OPTIONS"), *option = "verify_asan_link_order";
    if (given && strstr(given, option))
        return;
    char *all = ts_memory_text("%s%s%s=0", given ? given : "", given && given[0] ? ":" : "", option);
    setenv("ASAN_OPTIONS", all, 1);
    free(all);
}

/* In the child. */
static void set_environment(void *context) {
    const struct run *run = context;
    const char *preload = getenv("LD_PRELOAD");
    for (size_t i = 0; i < SETTINGS; i++)
        if (run->values[i])
            setenv(settings[i].variable, run->values[i], 1);
    char *both = ts_memory_text("%s%s%s", run->library, preload && preload[0] ? ":" : "", preload ? preload : "");
    setenv("LD_PRELOAD", both, 1);
    if (run->sanitizer_comes_later)
        allow_sanitizer_later();
    free(both);
    char *pid = ts_memory_text("%d", (int)getpid());
    setenv("TRACESHIM_RUN", pid, 1); /* preload/options.h */
    free(pid);
}

/* What the program saw: the option, else our environment, else `fallback`. */
static const char *setting_of(const struct run *run, const char *variable, const char *fallback) {
    const char *value = getenv(variable);
    for (size_t i = 0; i < SETTINGS; i++)
        if (run->values[i] && !strcmp(settings[i].variable, variable))
            value = run->values[i];
    return value && value[0] ? value : fallback;
}

/* Whether the library has rendered at the program's end, which it cannot do when the program is killed. */
static bool is_rendered(const char *directory, const char *formats) {
    size_t count;
    bool unknown, rendered = false;
    struct ts_error ignored;
    const struct ts_format **wanted = ts_format_names_parse(formats, &count, &unknown, &ignored);
    for (size_t i = 0; i < count && !rendered; i++) {
        char *path = ts_memory_text("%s/%s", directory, wanted[i]->file_name);
        rendered = access(path, F_OK) == 0;
        free(path);
    }
    free(wanted);
    return rendered;
}

static void render_if_needed(const struct run *run, const struct ts_run_child *child, const char *program) {
    const char *formats = setting_of(run, "TRACE_FORMAT", TS_RENDER_DEFAULT_FORMATS);
    const char *quiet = getenv("TRACE_QUIET");
    char *directory = ts_run_places_trace(setting_of(run, "TRACE_OUTPUT", DEFAULT_OUTPUT), child->pid);
    if (!directory) {
        if (strcmp(setting_of(run, "TRACE_LEVEL", "1"), "0") != 0)
            ts_command_tell("%s left no trace; traceshim check %s tells why", program, program);
        return;
    }
    if (strcmp(formats, "none") != 0 && !is_rendered(directory, formats)) {
        const struct ts_render_options options = {.quiet = quiet && quiet[0] && strcmp(quiet, "0") != 0,
                                                  .formats = formats};
        ts_render_directory(directory, &options);
    }
    free(directory);
}

static int run_program(struct run *run, char **argv) {
    struct ts_error error;
    struct ts_run_child child;
    if (ts_run_child(argv, set_environment, run, &child, &error) != 0) {
        ts_command_tell("%s", error.text);
        return TS_STATUS_FAILED;
    }
    if (child.exec_errno) {
        bool missing = child.exec_errno == ENOENT || child.exec_errno == ENOTDIR;
        ts_command_tell("cannot run %s: %s", argv[0], strerror(child.exec_errno));
        return missing ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
    }
    render_if_needed(run, &child, argv[0]);
    if (WIFSIGNALED(child.wait_status))
        return STATUS_SIGNAL + WTERMSIG(child.wait_status);
    return WEXITSTATUS(child.wait_status);
}

int ts_command_run(int argc, char **argv) {
    struct run run = {.library = NULL};
    struct ts_option options[SETTINGS + 1] = {{.name = NULL}};
    for (size_t i = 0; i < SETTINGS; i++)
        options[i] = (struct ts_option){.name = settings[i].option,
                                        .value = settings[i].value,
                                        .help = settings[i].help,
                                        .kind = TS_OPTION_TEXT,
                                        .target = &run.values[i]};
    char **program;
    int status;
    struct ts_error error;
    if (!ts_command_parse(argc, argv, options, 0, &program, &status))
        return status;
    for (size_t i = 0; i < SETTINGS; i++) {
        if (run.values[i] && check_value(&settings[i], run.values[i], &error) != 0) {
            ts_command_tell("run: %s", error.text);
            return TS_STATUS_USAGE;
        }
    }
    run.library = ts_run_places_library(&error);
    if (!run.library) {
        ts_command_tell("%s", error.text);
        return TS_STATUS_FAILED;
    }
    char *path = ts_program_find(program[0]);
    run.sanitizer_comes_later = path && ts_check_wants_runtime_first(path);
    free(path);
    status = run_program(&run, program);
    free(run.library);
    return status;
}
