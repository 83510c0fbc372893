/*
 * A loaded object as the last scan saw it. For what runs under the scan's lock, while the loader's own keeps the object
 * mapped (preload/modules.c).
 */
#ifndef TRACESHIM_PRELOAD_MODULE_H
#define TRACESHIM_PRELOAD_MODULE_H

#include "preload/elf_object.h"

struct ts_module {
    struct ts_elf_object object;
    uint64_t identity;   /* hash of path and build-id: another file at the same place is another module */
    const char *path;    /* kept for good; "[vdso]" */
    const char *file;    /* the last part of it */
    uint32_t generation; /* 0: being written */
    uint32_t flags;      /* enum ts_load_flags */
    uint32_t seen;       /* in the scan of this number */
    /* Its handle, when it was opened itself; NULL: it came with another, or that is not known. */
    const struct link_map *opened;
    uint8_t mapped;
    uint8_t is_initial; /* loaded with the program: in everyone's scope */
    uint8_t deep;       /* opened with RTLD_DEEPBIND: its own scope comes first */
    uint8_t patched;    /* nothing is left to do in it */
    uint8_t is_shim;
    uint32_t slots_patched; /* as in struct ts_record_slots */
    uint32_t slots_left;
    uint32_t slots_refused;
};

/* The mapped module that holds the address; NULL: none. */
const struct ts_module *ts_module_at(uint64_t address);

/* Those of all scans so far, mapped or not, in no order; NULL at the end. */
const struct ts_module *ts_module_known(uint32_t index);

/* The modules in the order of search, as of the last scan; NULL at the end. */
const struct ts_module *ts_module_in_order(uint32_t index);

#endif
