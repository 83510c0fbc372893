/* The file that a program's name means. */
#ifndef TRACESHIM_RENDER_PROGRAM_FIND_H
#define TRACESHIM_RENDER_PROGRAM_FIND_H

/* As execvp finds it: a name with a slash is a path. NULL: it is not on PATH. The caller frees it. */
char *ts_program_find(const char *name);

#endif
