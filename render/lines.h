/*
 * The source lines of a session's programs, with how often they were executed: for every function that was compiled
 * with coverage callbacks, in each object of which any was called.
 */
#ifndef TRACESHIM_RENDER_LINES_H
#define TRACESHIM_RENDER_LINES_H

#include "render/executed.h"
#include "render/line_count.h"

#include <stdio.h>

struct ts_lines_line {
    uint32_t line;
    uint64_t count;
    uint64_t calls; /* recorded ones that were made here */
    uint64_t calls_ns;
};

struct ts_lines_function {
    uint32_t line;
    const char *name; /* for people, as ts_function_name */
    uint64_t count;
};

struct ts_lines_switch { /* a case of one, or its default */
    uint32_t line;
    uint64_t address;
    uint64_t value;
    bool is_default;
    uint64_t count;
};

struct ts_lines_compare {
    uint32_t line;
    struct ts_executed_pair pair;
};

struct ts_lines_file {
    char *path;
    struct ts_lines_line *lines; /* by line, each once */
    size_t line_count;
    size_t line_capacity;
    struct ts_line_branch *branches; /* by line and address */
    size_t branch_count;
    size_t branch_capacity;
    struct ts_lines_function *functions; /* by line */
    size_t function_count;
    size_t function_capacity;
    struct ts_lines_switch *switches; /* by line, address and value, the default last */
    size_t switch_count;
    size_t switch_capacity;
    struct ts_lines_compare *compares; /* by line and address */
    size_t compare_count;
    size_t compare_capacity;
};

struct ts_lines {
    struct ts_lines_file *files; /* by path */
    size_t file_count;
    size_t file_capacity;
    size_t recent;      /* the file asked for last, while they are gathered */
    bool with_branches; /* the session was recorded at level 3 */
    char **problems;    /* one line each: objects whose lines could not be told */
    size_t problem_count;
    size_t problem_capacity;
    struct ts_symbols **symbols; /* opened for them: own the names */
    size_t symbols_count;
    size_t symbols_capacity;
};

/* 0, or -1 and the error. `lines` starts as all zero. */
int ts_lines_find(struct ts_lines *lines, struct ts_session *session, struct ts_error *error);
void ts_lines_free(struct ts_lines *lines);

/* Writers. 0, or -1 and the error. */
typedef int ts_lines_write(const struct ts_lines *lines, FILE *out, struct ts_error *error);
ts_lines_write ts_lines_write_text; /* annotated source, in the manner of gcov */
ts_lines_write ts_lines_write_lcov; /* a tracefile, for genhtml */
ts_lines_write ts_lines_write_json;

#endif
