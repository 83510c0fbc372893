/* Functions of one file by address: filled once, then sorted and searched. Knows nothing of ELF. */
#ifndef TRACESHIM_RENDER_SYMBOL_TABLE_H
#define TRACESHIM_RENDER_SYMBOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* How good a name is: of several for one address the lowest wins. */
enum ts_symbol_rank {
    TS_SYMBOL_GLOBAL = 0,
    TS_SYMBOL_WEAK,
    TS_SYMBOL_LOCAL,
    TS_SYMBOL_LABEL, /* not known to be a function: counts only where no function lies */
};

struct ts_symbol_entry {
    const char *name; /* not owned */
    uint64_t address;
    uint64_t end;   /* behind its last byte; where no size is known: the next function or the end of its section */
    uint64_t bytes; /* 0: not known */
    enum ts_symbol_rank rank;
};

/* All zero: empty. */
struct ts_symbol_table {
    struct ts_symbol_entry *entries;
    size_t count;
    size_t capacity;
};

/* `limit`: end of the section that holds it, which the function cannot exceed. Aborts when memory is exhausted. */
void ts_symbol_table_add(struct ts_symbol_table *table, const char *name, uint64_t address, uint64_t bytes,
                         uint64_t limit, enum ts_symbol_rank rank);

/* Sorts and keeps one entry per address. Once, after the last add and before the first find. */
void ts_symbol_table_finish(struct ts_symbol_table *table);

/* The innermost entry that covers `address`; NULL when none does. */
const struct ts_symbol_entry *ts_symbol_table_find(const struct ts_symbol_table *table, uint64_t address);

void ts_symbol_table_free(struct ts_symbol_table *table);

#endif
