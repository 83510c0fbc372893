/*
 * Symbols of one ELF file, offline, by libelf and libdw. Names are read on demand: opening costs no walk over debug
 * information. Hostile ELF and DWARF give an error or no answer, never a crash.
 */
#ifndef TRACESHIM_RENDER_SYMBOLS_H
#define TRACESHIM_RENDER_SYMBOLS_H

#include "render/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_symbols;

struct ts_symbol {
    const char *linkage_name; /* as in the symbol table (mangled); owned by ts_symbols */
    uint64_t address;         /* where the function begins, in the file's own addresses */
    uint64_t bytes;           /* its size; 0 when the table does not say */
};

struct ts_source {
    const char *file; /* owned by ts_symbols */
    uint32_t line;
};

/* A row of the line table: the code from `address` to the next row. */
struct ts_source_row {
    uint64_t address;
    const char *file; /* owned by ts_symbols; NULL: of no line */
    uint32_t line;
    uint32_t column; /* 0: not told */
};

struct ts_source_rows {
    struct ts_source_row *rows; /* by address */
    size_t count;
    size_t capacity;
    bool by_clang;      /* the compiler that made the code */
    bool returns_value; /* the function at `low` does */
};

/*
 * Opens `path`. Where build_id_bytes > 0 and the file's build-id differs, fails with "… was rebuilt since the trace".
 * Uses .symtab of the file or of its debug file, else .dynsym (.gnu_debugdata is not read); debug files are found by
 * build-id under /usr/lib/debug/.build-id and by .gnu_debuglink beside the file; one that has the trace's build-id also
 * serves where the file itself is gone or rebuilt. NULL and the error on failure; who asks adds what follows from it.
 */
struct ts_symbols *ts_symbols_open(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
                                   struct ts_error *error);
void ts_symbols_close(struct ts_symbols *symbols);

/*
 * The function that covers `address` (st_size respected: an address past the end of the nearest symbol has none).
 * Returns 0, or -1 when there is no such symbol. Aliases: a global name wins over a weak one, that over a local one.
 */
int ts_symbols_find(struct ts_symbols *symbols, uint64_t address, struct ts_symbol *symbol);

/* Each function once, by address, as ts_symbols_find names it at that address: `index` from 0 to below the count. */
size_t ts_symbols_count(const struct ts_symbols *symbols);
struct ts_symbol ts_symbols_at(const struct ts_symbols *symbols, size_t index);

/*
 * Where the function begins that covers `address`, by the unwind table, which stripped files have too. 0, or -1: it is
 * not told.
 */
int ts_symbols_function_start(struct ts_symbols *symbols, uint64_t address, uint64_t *start);

/* Whether functions that the file does not export have names, too. */
bool ts_symbols_has_local(const struct ts_symbols *symbols);
/* Whether there is debug information, in the file or in a separate one, for ts_symbols_source. */
bool ts_symbols_has_lines(struct ts_symbols *symbols);
/* Functions inlined into each other at `address`, as ts_dwarf_lines_inlined (dwarf_lines.h). */
size_t ts_symbols_inlined(struct ts_symbols *symbols, uint64_t address, const char **names, size_t most);
/* Source position of the instruction at `address`, by the line table. 0 or -1. */
int ts_symbols_line(struct ts_symbols *symbols, uint64_t address, struct ts_source *source);

/*
 * The line table of the code at [low, high), from the row that holds there on; `rows` was used before or is all zero,
 * and its memory is the caller's. 0, or -1 when there is none.
 */
int ts_symbols_rows(struct ts_symbols *symbols, uint64_t low, uint64_t high, struct ts_source_rows *rows);

/* The first function at or behind `address`. 0, or -1 when there is none. `bytes` as far as can be told. */
int ts_symbols_next(const struct ts_symbols *symbols, uint64_t address, struct ts_symbol *symbol);

/*
 * A descriptor of the file, for whoever else reads ELF, when it is one and has the build-id, where one is known; the
 * caller closes it. -1 and the error.
 */
int ts_symbols_open_file(const char *path, const uint8_t *build_id, uint32_t build_id_bytes, struct ts_error *error);

/* Source position of the function that contains `address` (its declaration line; else the line table's). 0 or -1. */
int ts_symbols_source(struct ts_symbols *symbols, uint64_t address, struct ts_source *source);

#endif
