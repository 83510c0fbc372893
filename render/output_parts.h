/* An output in several files: x.json, x-2.json, x-3.json. Each appears when it is whole. */
#ifndef TRACESHIM_RENDER_OUTPUT_PARTS_H
#define TRACESHIM_RENDER_OUTPUT_PARTS_H

#include "render/output.h"

#include <stdint.h>

/* The first is the caller's. */
struct ts_output_parts {
    const char *path;        /* of the first */
    uint64_t bytes;          /* of each, about, before compression; 0: all in the first */
    unsigned number;         /* of the newest, but 0 for the first */
    struct ts_output output; /* of the newest */
};

/* Ends the newest file, where it is not the first, and begins another. NULL and the error when that fails. */
FILE *ts_output_parts_next(struct ts_output_parts *parts, struct ts_error *error);

/* Ends the newest file, where it is not the first. */
int ts_output_parts_close(struct ts_output_parts *parts, bool keep, struct ts_error *error);

/* "100M" as bytes, powers of 1024. 0 and the error for what is no size, or none. */
uint64_t ts_output_parts_size(const char *text, struct ts_error *error);

#endif
