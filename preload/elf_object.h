/*
 * A loaded ELF object as its program headers and dynamic section describe it in memory. Nothing is copied: valid as
 * long as the object is mapped.
 */
#ifndef TRACESHIM_PRELOAD_ELF_OBJECT_H
#define TRACESHIM_PRELOAD_ELF_OBJECT_H

#include "preload/unwind_table.h"

#include <link.h>
#include <stdint.h>

struct ts_elf_object {
    uint64_t bias; /* address in memory = bias + address in the file */
    uint64_t low;  /* of its PT_LOAD segments, whole pages */
    uint64_t high;
    uint64_t relro_low; /* whole pages that the loader made read-only after relocation; equal: none */
    uint64_t relro_high;
    struct ts_unwind_table unwind_table;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
    const ElfW(Sym) * symbols;
    const char *names;
    uint64_t names_bytes;
    const ElfW(Rela) * relocations[2]; /* of calls; of data */
    uint64_t relocation_counts[2];
    const uint32_t *gnu_hash;           /* DT_GNU_HASH; NULL: none */
    const uint32_t *hash;               /* DT_HASH; NULL: none */
    const ElfW(Half) * version_numbers; /* of the symbols; NULL: none */
    const ElfW(Verdef) * versions_defined;
    const ElfW(Verneed) * versions_needed;
    uint64_t code_low; /* its executable segment; the largest, where there are several */
    uint64_t code_high;
};

/* 0, or -1 when it has no dynamic section (then only what precedes `symbols` is set). */
int ts_elf_object_read(struct ts_elf_object *object, const struct dl_phdr_info *info);

/* The same without its segments, by the loader's own list: `high` and what is 0 are not known. 0 or -1. */
int ts_elf_object_read_linked(struct ts_elf_object *object, const struct link_map *map);

/*
 * Index of an undefined symbol of this name to which a pointer slot belongs, 0 when there is none. Found by the
 * relocations: the hash tables do not tell how many undefined symbols there are.
 */
uint32_t ts_elf_object_undefined(const struct ts_elf_object *object, const char *name);

/* Calls `use` with the address of each pointer slot that the loader fills for symbol `index` (calls and addresses). */
void ts_elf_object_slots(const struct ts_elf_object *object, uint32_t index, void (*use)(void *context, uint64_t *slot),
                         void *context);

/* The name of a symbol by its index; "" where it is not in the string table. */
const char *ts_elf_object_name(const struct ts_elf_object *object, uint32_t index);

/* The version with which the object refers to this symbol; NULL: without one. */
const char *ts_elf_object_version(const struct ts_elf_object *object, uint32_t index);

/*
 * The address of the function of this name that the object defines, 0 when it defines none. `version`: wanted by who
 * refers to it, NULL: the default one. Runs the resolver of an IFUNC.
 */
uint64_t ts_elf_object_function(const struct ts_elf_object *object, const char *name, const char *version);

enum ts_store_result {
    TS_STORE_DONE,
    TS_STORE_REFUSED, /* the page cannot be made writable */
    TS_STORE_NOT_YET, /* the loader has not made the page read-only yet: it is still relocating the object */
};

/*
 * The pages that the loader made read-only are writable between these two, for many slots. DONE: ts_elf_object_protect
 * must follow.
 */
enum ts_store_result ts_elf_object_unprotect(const struct ts_elf_object *object);
void ts_elf_object_protect(const struct ts_elf_object *object);

/* Writes a slot; a page that the loader made read-only is made writable for that store and read-only again. */
enum ts_store_result ts_elf_object_store(const struct ts_elf_object *object, uint64_t *slot, uint64_t value);

#endif
