/* The environment options of this process. Read once, in the constructor; constant after it. */
#ifndef TRACESHIM_PRELOAD_OPTIONS_H
#define TRACESHIM_PRELOAD_OPTIONS_H

#include "collector/text.h"

#include <stdint.h>

struct ts_options {
    int level;
    const char *hooks;     /* NULL: the default */
    const char *functions; /* strings are copies that stay; NULL: unset */
    const char *compares;
    const char *output;
    const char *format;
    uint64_t depth;           /* 0: no limit */
    uint64_t min_duration_ns; /* 0: none */
    uint64_t max_size;        /* bytes; 0: the default */
    int full;                 /* enum ts_full_mode */
    int children;
    uint64_t render_timeout; /* seconds; 0: no limit */
    int paused;              /* recording begins so */
    int signal;              /* that toggles it; 0: none */
    int quiet;
    int debug;
    int clock_system;
    uint64_t run_pid; /* of the process that `traceshim run` waits for, by TS_RUN_VARIABLE; 0: it does not */
};

/* Set by `traceshim run`, for itself: no option. */
#define TS_RUN_VARIABLE "TRACESHIM_RUN"

/*
 * Reads the options from `environment`. Each value that cannot be read is named in `problems`, a line each, and its
 * option keeps the default (TRACE_LEVEL: 0).
 */
void ts_options_read(struct ts_options *options, char *const *environment, struct ts_text *problems);

/* Calls `use` for each option that is set, in order of the list: for the trace's metadata. `text` is NAME=value. */
void ts_options_each_set(char *const *environment, void (*use)(void *context, const char *text), void *context);

/* Value of a variable, NULL when it is not there. Not getenv: the program may replace that. */
const char *ts_options_variable(char *const *environment, const char *name);

#endif
