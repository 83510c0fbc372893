/*
 * Source positions of functions from the DWARF of one file, by libdw. Lazy: opening reads no unit; a question reads the
 * unit that holds its address, once. Hostile DWARF is bounded in work and memory and gives no answer, or a wrong one.
 * The file is mapped, since debug information can be larger than memory: it must not shrink meanwhile.
 */
#ifndef TRACESHIM_RENDER_DWARF_LINES_H
#define TRACESHIM_RENDER_DWARF_LINES_H

#include "render/symbols.h"

struct ts_dwarf_lines;

/* `fd` stays the caller's and open until close. NULL when the file holds no DWARF that libdw can read. */
struct ts_dwarf_lines *ts_dwarf_lines_open(int fd);
void ts_dwarf_lines_close(struct ts_dwarf_lines *lines);

/*
 * Where the function that contains `address` is declared, else the line table's row of the address. 0, or -1 when
 * neither is there. source->file lives as long as `lines`.
 */
int ts_dwarf_lines_find(struct ts_dwarf_lines *lines, uint64_t address, struct ts_source *source);

/*
 * Names of the functions that the compiler inlined into each other at the address, the outermost first, without the one
 * that was compiled around them all: linkage names where there are some. Up to `most`; returns how many. They live as
 * long as `lines`.
 */
size_t ts_dwarf_lines_inlined(struct ts_dwarf_lines *lines, uint64_t address, const char **names, size_t most);

/* The line table's row of the address. 0 or -1; source->file as above. */
int ts_dwarf_lines_row(struct ts_dwarf_lines *lines, uint64_t address, struct ts_source *source);

/* As ts_symbols_rows. */
int ts_dwarf_lines_rows(struct ts_dwarf_lines *lines, uint64_t low, uint64_t high, struct ts_source_rows *rows);

#endif
