/* What happens at a program's end: the output files are written into the trace's directory and the tree is shown. */
#ifndef TRACESHIM_RENDER_RENDER_DIRECTORY_H
#define TRACESHIM_RENDER_RENDER_DIRECTORY_H

#include <stdbool.h>

struct ts_render_options {
    bool all;            /* formats that are too large for their viewer too */
    bool quiet;          /* nothing on standard error, not even errors: the status alone tells */
    const char *formats; /* comma list; NULL or empty: the default, tree and chrome */
};

#define TS_RENDER_DEFAULT_FORMATS "tree,chrome"

/*
 * Writes every format's file, each whole or not at all, then to standard error the tree cut to a screen, what is
 * missing in the trace, and one line that names the file to open. Returns the exit status.
 */
int ts_render_directory(const char *directory, const struct ts_render_options *options);

#endif
