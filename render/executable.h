/* What stands in the way of recording a program, by its file. */
#ifndef TRACESHIM_RENDER_EXECUTABLE_H
#define TRACESHIM_RENDER_EXECUTABLE_H

/*
 * The file that `name` means to a program that executes it in `directory` (NULL: not known): as it is, relative to
 * that, or found by PATH. Owned by the caller; NULL: there is none.
 */
char *ts_executable_path(const char *name, const char *directory);

/* Why the loader does not add the recorder to it: a text that lives on. NULL: nothing known stands in the way. */
const char *ts_executable_obstacle(const char *path);

#endif
