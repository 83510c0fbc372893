/* Options of one command: `--name=value`, `--name value`, flags; before the operands, or among them. */
#ifndef TRACESHIM_RENDER_OPTIONS_PARSE_H
#define TRACESHIM_RENDER_OPTIONS_PARSE_H

#include "render/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum ts_option_kind {
    TS_OPTION_FLAG = 0, /* sets an int to `number` */
    TS_OPTION_COUNT,    /* sets a uint64_t: a whole decimal number */
    TS_OPTION_TEXT,     /* sets a const char * to the value, which lies in argv */
};

/* A table of these ends with one whose name is NULL. */
struct ts_option {
    const char *name;  /* with its dashes */
    const char *value; /* what help calls the value; NULL for a flag */
    const char *help;  /* NULL: not shown, for the recorder's own use */
    enum ts_option_kind kind;
    int number;
    void *target;
};

enum { TS_OPTIONS_ERROR = -1, TS_OPTIONS_HELP = -2 };

/*
 * argv[0] is the command's name. Returns the index of the first operand (argc: none), or TS_OPTIONS_ERROR and the
 * error, or TS_OPTIONS_HELP at --help or -h. `--` ends the options. Later options win. `mixed`: options may follow
 * operands, which are moved to the end of argv, in order; else the first operand ends the options.
 */
int ts_options_parse(const struct ts_option *options, int argc, char **argv, bool mixed, struct ts_error *error);

/* One line an option, aligned. */
void ts_options_write_help(const struct ts_option *options, FILE *out);

#endif
