/* Puts what the functions of all objects tell together by file and line. For lines.c. */
#ifndef TRACESHIM_RENDER_LINES_GATHER_H
#define TRACESHIM_RENDER_LINES_GATHER_H

#include "render/line_times.h"
#include "render/lines.h"

void ts_lines_gather_line(struct ts_lines *lines, const char *file, uint32_t line, uint64_t count);
void ts_lines_gather_branch(struct ts_lines *lines, const struct ts_line_branch *branch);
void ts_lines_gather_function(struct ts_lines *lines, const struct ts_source *source, const char *linkage_name,
                              uint64_t count);
void ts_lines_gather_switch(struct ts_lines *lines, const struct ts_source *source,
                            const struct ts_executed_case *executed);
void ts_lines_gather_compare(struct ts_lines *lines, const struct ts_source *source,
                             const struct ts_executed_pair *executed);
void ts_lines_keep_symbols(struct ts_lines *lines, struct ts_symbols *symbols);

/* Sorts everything and adds up what is the same. */
void ts_lines_finish(struct ts_lines *lines);

/* After that: for the line that makes the calls, where it is there. */
void ts_lines_add_calls(struct ts_lines *lines, const struct ts_line_time *time);

#endif
