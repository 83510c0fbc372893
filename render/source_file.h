/* Opens a source file that debug information names: anyone may have put anything there. */
#ifndef TRACESHIM_RENDER_SOURCE_FILE_H
#define TRACESHIM_RENDER_SOURCE_FILE_H

#include <stdio.h>

/* For reading; NULL where there is no regular file of that path: a FIFO must not hang us. */
FILE *ts_source_file_open(const char *path);

#endif
