/*
 * Where a command's output goes: standard output, or a file that appears whole or not at all (written beside it under
 * another name or none, then renamed; parent directories are made). The first failed write is remembered, so that
 * writers need not check every fprintf. A file whose name ends with .gz is compressed.
 */
#ifndef TRACESHIM_RENDER_OUTPUT_H
#define TRACESHIM_RENDER_OUTPUT_H

#include "render/error.h"
#include "render/gzip_stream.h"

#include <stdbool.h>
#include <stdio.h>

struct ts_output {
    FILE *stream;
    int fd;
    int failure;          /* errno of the first failed write; 0: none */
    char *target;         /* file to make, symbolic links followed; NULL: standard output */
    char *temporary;      /* its name until then; NULL where the target is written in place (a device, a FIFO) */
    struct ts_gzip *gzip; /* the file's name ends with .gz: what goes out is compressed; else NULL */
    bool unnamed;         /* it has no name yet: nothing is left behind when we are killed */
    char *made;           /* the outermost directory that was made for it; NULL: none was */
};

/*
 * `path` NULL: standard output. When the reader of a pipe there is gone, the process ends quietly with status 0 at the
 * next write: nobody wants the rest. Returns 0, or -1 and the error.
 */
int ts_output_open(struct ts_output *output, const char *path, struct ts_error *error);

/* Ends it. Where `keep` is false, or anything could not be written, no file is left. Returns 0, or -1 and the error. */
int ts_output_close(struct ts_output *output, bool keep, struct ts_error *error);

#endif
