/*
 * What `traceshim functions --all` writes, read piece by piece: "+0000000000001139 main\n" for a function that is
 * wanted, with a minus for another, by address.
 */
#ifndef TRACESHIM_PRELOAD_FUNCTION_LINES_H
#define TRACESHIM_PRELOAD_FUNCTION_LINES_H

#include <stddef.h>
#include <stdint.h>

/* All zero but `functions` and `capacity`: nothing was read yet. */
struct ts_function_lines {
    uint64_t *functions; /* address in the file << 1, bit 0: wanted; strictly ascending by address */
    uint64_t capacity;
    uint64_t count;
    uint64_t address; /* of the line that is being read */
    unsigned column;  /* in it */
    int wanted;
    int is_wrong; /* another text, or more than fits: what was read does not count */
};

void ts_function_lines_read(struct ts_function_lines *lines, const char *bytes, size_t count);

/* After the last piece. 0, or -1: it was not such a text as a whole. */
int ts_function_lines_end(const struct ts_function_lines *lines);

#endif
