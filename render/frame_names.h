/* Names of functions as a text format takes them: safe for a terminal and in one line, with a few bytes replaced. */
#ifndef TRACESHIM_RENDER_FRAME_NAMES_H
#define TRACESHIM_RENDER_FRAME_NAMES_H

#include "render/function_rows.h"

/* `bytes`: ASCII; what may not stand in a name, each followed by what stands for it. The caller frees it. */
char *ts_frame_name(const char *name, const char *bytes);

/* Of each row. */
char **ts_frame_names(const struct ts_function_rows *rows, const char *bytes);
void ts_frame_names_free(char **names, const struct ts_function_rows *rows);

#endif
