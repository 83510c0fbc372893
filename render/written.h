/* The end of every writer that does not look at what each fprintf returns. */
#ifndef TRACESHIM_RENDER_WRITTEN_H
#define TRACESHIM_RENDER_WRITTEN_H

#include "render/error.h"

#include <stdio.h>

/* 0 when all of `what` ("the stacks") went out; else -1 and the error. */
int ts_written_all(FILE *out, const char *what, struct ts_error *error);

#endif
