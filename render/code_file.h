/* The machine code of an ELF file, read as its segments lay it out in memory. Hostile files give no code, never a
 * crash. */
#ifndef TRACESHIM_RENDER_CODE_FILE_H
#define TRACESHIM_RENDER_CODE_FILE_H

#include "render/code.h"
#include "render/error.h"

struct ts_code_segment {
    uint64_t address;
    uint64_t bytes;
    uint64_t offset;
};

struct ts_code_file {
    int fd;
    ts_code_decode *decode; /* of its machine */
    struct ts_code_segment *segments;
    size_t segment_count;
    uint64_t budget; /* bytes that are still read: symbols of a damaged file may all be of the same code */
    uint8_t *code;   /* the last that was read */
    size_t capacity;
};

/* 0, or -1 and the error: not readable, not the file of the trace, or of a machine whose code is not known. */
int ts_code_file_open(struct ts_code_file *file, const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
                      struct ts_error *error);
void ts_code_file_close(struct ts_code_file *file);

/* The code at [address, address + bytes), as much of it as there is in one segment: *bytes becomes that. */
const uint8_t *ts_code_file_read(struct ts_code_file *file, uint64_t address, size_t *bytes);

#endif
