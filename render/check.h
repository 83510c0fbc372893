/*
 * What will work and what will not when a program is traced as it stands, told before it runs: one finding a line, in
 * plain words, with what to do. Starts nothing, and leaves nothing behind. What the program does once it runs (opens
 * plugins, forbids itself system calls, executes others) is not foretold.
 */
#ifndef TRACESHIM_RENDER_CHECK_H
#define TRACESHIM_RENDER_CHECK_H

#include "render/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum ts_check_grade {
    TS_CHECK_OK,
    TS_CHECK_NOTE, /* a trace comes, with less in it than there could be, or at another place */
    TS_CHECK_FAIL, /* no trace comes */
};

struct ts_check_finding {
    enum ts_check_grade grade;
    char *text;
};

struct ts_check {
    struct ts_check_finding *findings;
    size_t count;
    size_t capacity;
};

/*
 * `program` is a path, or a name on PATH; `shim` the path of libtraceshim.so, NULL where it was not found (`missing`
 * says why). TRACE_*, LD_PRELOAD and LD_LIBRARY_PATH count as they would for the run.
 */
void ts_check_run(struct ts_check *check, const char *program, const char *shim, const struct ts_error *missing);
void ts_check_free(struct ts_check *check);

/* Whether a trace would come: there is no TS_CHECK_FAIL. */
bool ts_check_passes(const struct ts_check *check);

/* Whether the file at `path` is a program that its sanitizer ends where a library comes before its runtime. */
bool ts_check_wants_runtime_first(const char *path);

void ts_check_text(const struct ts_check *check, FILE *out);
int ts_check_json(const struct ts_check *check, const char *program, FILE *out, struct ts_error *error);

void ts_check_add(struct ts_check *check, enum ts_check_grade grade, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
