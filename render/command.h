/*
 * The command line. A command is one file and one line in commands.def; it parses its options, calls one of the
 * renderer's parts and returns the exit status. Errors are printed here and nowhere else, one line each.
 */
#ifndef TRACESHIM_RENDER_COMMAND_H
#define TRACESHIM_RENDER_COMMAND_H

#include "render/options_parse.h"
#include "render/session.h"

#include <stdbool.h>

enum { TS_STATUS_DONE = 0, TS_STATUS_FAILED = 1, TS_STATUS_USAGE = 2 };

/* The whole program: picks the command that argv[1] names. Returns the exit status. */
int ts_command_main(int argc, char **argv);

/* argv[0] is the command's name. */
#define COMMAND(name, usage, help) int ts_command_##name(int argc, char **argv);
#include "render/commands.def"
#undef COMMAND

enum { TS_COMMAND_AT_MOST_ONE = -1 };

/*
 * Parses the options and sets *operands to the first operand: there are `count` of them, at least one where count is 0,
 * none or one where it is TS_COMMAND_AT_MOST_ONE (*operands[0] is NULL for none). False when the command ends here with
 * *status: help was asked for, or the usage is wrong and has been told.
 */
bool ts_command_parse(int argc, char **argv, const struct ts_option *options, int count, char ***operands, int *status);

/* `--format` of a command that answers in text, for people, or in JSON; ts_command_is_json reads it. */
#define TS_COMMAND_FORMAT(its_target)                                                                                  \
    {                                                                                                                  \
        .name = "--format", .value = "FORMAT", .help = "text (default) or json", .kind = TS_OPTION_TEXT,               \
        .target = (its_target)                                                                                         \
    }
/* 1: "json"; 0: "text"; -1: another, which has been told of `command`. */
int ts_command_is_json(const char *command, const char *format);

/* Opens a session and prints its warnings. NULL when that failed, which has been told. */
struct ts_session *ts_command_open_session(const char *path);

/*
 * Opens the session of `path`, writes by `write` to `file` (NULL or "-": standard output), tells what went wrong.
 * Returns the status.
 */
typedef int ts_command_write(struct ts_session *session, const void *context, FILE *out, struct ts_error *error);
int ts_command_write_session(const char *path, const char *file, ts_command_write *write, const void *context);

/*
 * The same for a person: standard output through `screen` (render/screen.h), which `write` finds begun where it needs
 * to know.
 */
struct ts_screen;
int ts_command_show_session(const char *path, struct ts_screen *screen, ts_command_write *write, const void *context);

/* A line for each object whose functions were named and whose names could not be had. After something was written. */
void ts_command_tell_problems(const struct ts_session *session);
/* Where options chose no call at all in the last replay: which, and how many calls there are. Replays once more. */
void ts_command_tell_unmatched(struct ts_session *session);

/* One line to standard error, `traceshim: ...`, safe for a terminal whatever the arguments hold. */
void ts_command_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
