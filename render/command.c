#include "render/command.h"

#include "collector/edit_distance.h"
#include "render/filter_options.h"
#include "render/kept_names.h"
#include "render/output.h"
#include "render/progress.h"
#include "render/replay.h"
#include "render/screen.h"
#include "render/text_escape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command {
    const char *name;
    const char *usage;
    const char *help;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, usage, help) {#name, usage, help, ts_command_##name},
#include "render/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

void ts_command_tell(const char *format, ...) {
    va_list arguments;
    char *text = NULL, *line = NULL;
    size_t bytes;
    va_start(arguments, format);
    int formatted = vasprintf(&text, format, arguments);
    va_end(arguments);
    FILE *out = formatted < 0 ? NULL : open_memstream(&line, &bytes);
    if (out) {
        fputs("traceshim: ", out);
        ts_text_write_name(out, text);
        fputc('\n', out);
        if (fclose(out) == 0)
            fputs(line, stderr); /* one write: lines of several processes stay whole */
    }
    free(line);
    if (formatted >= 0)
        free(text);
}

static const struct command *find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static size_t distance(const char *left, const char *right) {
    return ts_edit_distance(left, strlen(left), right, strlen(right));
}

static int tell_unknown(const char *name) {
    const struct command *nearest = &commands[0];
    for (size_t i = 1; i < COMMANDS; i++)
        if (distance(name, commands[i].name) < distance(name, nearest->name))
            nearest = &commands[i];
    if (name[0] == '-')
        ts_command_tell("unknown option '%s'; see traceshim --help", name);
    else if (distance(name, nearest->name) * 2 <= strlen(nearest->name))
        ts_command_tell("unknown command '%s'; did you mean '%s'?", name, nearest->name);
    else
        ts_command_tell("unknown command '%s'; see traceshim --help", name);
    return TS_STATUS_USAGE;
}

/* For the short texts that go out without a ts_output. */
static int finish_stdout(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return TS_STATUS_DONE;
    ts_command_tell("cannot write standard output: %s", strerror(errno));
    return TS_STATUS_FAILED;
}

static void write_overview(FILE *out) {
    fputs("usage: traceshim COMMAND [options] ...\n\n", out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-11s%s\n", commands[i].name, commands[i].help);
    fputs("\ntraceshim COMMAND --help tells a command's options, traceshim --version the version.\n"
          "DIR is the directory that a traced program left, by default traceshim.<pid>.\n",
          out);
}

int ts_command_main(int argc, char **argv) {
    if (argc < 2) {
        write_overview(stderr);
        return TS_STATUS_USAGE;
    }
    const struct command *command = find(argv[1]);
    if (command)
        return command->run(argc - 1, argv + 1);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        write_overview(stdout);
    else if (!strcmp(argv[1], "--version"))
        puts("traceshim " TRACESHIM_VERSION);
    else
        return tell_unknown(argv[1]);
    return finish_stdout();
}

bool ts_command_parse(int argc, char **argv, const struct ts_option *options, int count, char ***operands,
                      int *status) {
    const struct command *command = find(argv[0]);
    struct ts_error error;
    int first = ts_options_parse(options, argc, argv, count != 0, &error);
    if (first == TS_OPTIONS_HELP) {
        printf("usage: traceshim %s %s\n\n%s.\n", command->name, command->usage, command->help);
        if (options->name)
            putchar('\n');
        ts_options_write_help(options, stdout);
        *status = finish_stdout();
        return false;
    }
    *status = TS_STATUS_USAGE;
    if (first == TS_OPTIONS_ERROR) {
        ts_command_tell("%s: %s; see traceshim %s --help", command->name, error.text, command->name);
        return false;
    }
    int given = argc - first;
    *operands = argv + first;
    if (count == TS_COMMAND_AT_MOST_ONE ? given <= 1 : count ? given == count : given > 0)
        return true;
    ts_command_tell("usage: traceshim %s %s", command->name, command->usage);
    return false;
}

int ts_command_is_json(const char *command, const char *format) {
    int is_json = strcmp(format, "json") == 0;
    if (is_json || strcmp(format, "text") == 0)
        return is_json;
    ts_command_tell("%s: unknown format '%s'; there are text, json", command, format);
    return -1;
}

struct ts_session *ts_command_open_session(const char *path) {
    struct ts_error error;
    struct ts_session *session = ts_session_open(path, &error);
    if (!session) {
        ts_command_tell("%s", error.text);
        return NULL;
    }
    for (size_t i = 0; i < session->warning_count; i++)
        ts_command_tell("%s", session->warnings[i]);
    return session;
}

void ts_command_tell_problems(const struct ts_session *session) {
    for (uint32_t i = 0; i < ts_functions_object_count(session->functions); i++) {
        const struct ts_object *object = ts_functions_object_at(session->functions, i);
        if (object->symbols_tried && object->problem)
            ts_command_tell("%s", object->problem);
    }
    const struct ts_text_list *unused = ts_kept_names_problems(ts_functions_kept(session->functions));
    for (size_t i = 0; i < unused->count; i++)
        ts_command_tell("%s", unused->texts[i]);
}

void ts_command_tell_unmatched(struct ts_session *session) {
    const struct ts_span_filter *filter = session->filter;
    const struct ts_sink nothing = {.context = NULL};
    char *text = NULL;
    size_t bytes;
    if (!filter || !filter->options || session->filter_matched)
        return;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    ts_filter_options_write(filter->options, out);
    session->filter = NULL;
    ts_replay(session, &nothing, NULL);
    session->filter = filter;
    if (fclose(out) == 0 && bytes)
        ts_command_tell("no call of %s matches %s; without that there are %" PRIu64, session->directory, text,
                        session->totals.calls);
    free(text);
}

/* `progress_fd`: -1 for none. */
static int write_session(const char *path, const char *file, int progress_fd, ts_command_write *write,
                         const void *context) {
    struct ts_error error;
    struct ts_output output;
    struct ts_progress progress = ts_progress_on(progress_fd);
    int status = TS_STATUS_FAILED;
    struct ts_session *session = ts_command_open_session(path);
    if (!session)
        return TS_STATUS_FAILED;
    session->progress = &progress;
    if (ts_output_open(&output, file, &error) == 0) {
        if (output.made)
            ts_command_tell("made the directory %s for it", output.made);
        int written = write(session, context, output.stream, &error);
        struct ts_error closing;
        int closed = ts_output_close(&output, written == 0, &closing);
        if (closed != 0)
            error = closing; /* the cause, where the writer saw only that its stream failed */
        status = written == 0 && closed == 0 ? TS_STATUS_DONE : TS_STATUS_FAILED;
        ts_command_tell_problems(session);
        if (status == TS_STATUS_DONE)
            ts_command_tell_unmatched(session);
    }
    if (status != TS_STATUS_DONE)
        ts_command_tell("%s", error.text);
    ts_session_close(session);
    return status;
}

/* What is written may go to the terminal while progress is drawn there: then not. */
int ts_command_write_session(const char *path, const char *file, ts_command_write *write, const void *context) {
    if (file && !strcmp(file, "-"))
        file = NULL;
    bool shares = !file && isatty(STDOUT_FILENO);
    return write_session(path, file, shares ? -1 : STDERR_FILENO, write, context);
}

struct shown {
    ts_command_write *write;
    const void *context;
    const struct ts_screen *screen;
};

static int write_shown(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    const struct shown *shown = context;
    FILE *cut = shown->screen->width ? ts_screen_cut(out, shown->screen->width) : NULL;
    int result = shown->write(session, shown->context, cut ? cut : out, error);
    if (cut)
        fclose(cut);
    return result;
}

int ts_command_show_session(const char *path, struct ts_screen *screen, ts_command_write *write, const void *context) {
    const struct shown shown = {write, context, screen};
    ts_screen_begin(screen);
    int status = write_session(path, NULL, screen->terminal, write_shown, &shown);
    ts_screen_end(screen);
    return status;
}
