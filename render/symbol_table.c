#include "render/symbol_table.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

/* A function inside another (code written in assembly) is rarely more than one level deep; a hostile table may be. */
enum { NESTING_MAX = 16 };

void ts_symbol_table_add(struct ts_symbol_table *table, const char *name, uint64_t address, uint64_t bytes,
                         uint64_t limit, enum ts_symbol_rank rank) {
    uint64_t end = limit;
    if (bytes && address < limit && bytes < limit - address)
        end = address + bytes;
    if (end <= address)
        return;
    table->entries = ts_memory_grow(table->entries, &table->capacity, table->count + 1, sizeof *table->entries);
    table->entries[table->count++] =
        (struct ts_symbol_entry){.name = name, .address = address, .end = end, .bytes = bytes, .rank = rank};
}

/* By address; the name to keep first. Among equals the plainest: `read` before `__read`; then any fixed order. */
static int compare(const void *left, const void *right) {
    const struct ts_symbol_entry *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    size_t a_underscores = strspn(a->name, "_"), b_underscores = strspn(b->name, "_");
    if (a_underscores != b_underscores)
        return a_underscores < b_underscores ? -1 : 1;
    return strcmp(a->name, b->name);
}

void ts_symbol_table_finish(struct ts_symbol_table *table) {
    if (!table->count)
        return;
    qsort(table->entries, table->count, sizeof *table->entries, compare);

    size_t kept = 0;
    uint64_t covered = 0; /* behind the last byte of all functions so far whose size is known */
    for (size_t i = 0; i < table->count; i++) {
        struct ts_symbol_entry entry = table->entries[i];
        struct ts_symbol_entry *last = kept ? &table->entries[kept - 1] : NULL;
        if (last && last->address == entry.address) {
            if (!last->bytes && entry.bytes) { /* an alias knows the size */
                last->bytes = entry.bytes;
                last->end = entry.end;
                if (last->end > covered)
                    covered = last->end;
            }
            continue;
        }
        if (entry.rank == TS_SYMBOL_LABEL && entry.address < covered)
            continue;
        if (last && !last->bytes && last->end > entry.address)
            last->end = entry.address;
        if (entry.bytes && entry.end > covered)
            covered = entry.end;
        table->entries[kept++] = entry;
    }
    table->count = kept;
}

const struct ts_symbol_entry *ts_symbol_table_find(const struct ts_symbol_table *table, uint64_t address) {
    size_t low = 0,
           high = table->count; /* entries before `low` begin at or below the address, those from `high` above */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->entries[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t outer = 0; outer < NESTING_MAX && outer < low; outer++) {
        const struct ts_symbol_entry *entry = &table->entries[low - 1 - outer];
        if (address < entry->end)
            return entry;
    }
    return NULL;
}

void ts_symbol_table_free(struct ts_symbol_table *table) {
    free(table->entries);
    *table = (struct ts_symbol_table){.entries = NULL};
}
