/* A program and the libraries that the loader loads with it, in its order: who defines what the others call. */
#ifndef TRACESHIM_RENDER_LOAD_ORDER_H
#define TRACESHIM_RENDER_LOAD_ORDER_H

#include "render/elf_file.h"
#include "render/library_search.h"

struct ts_load_module {
    struct ts_elf_file *file;
    const char *name; /* file name */
    struct ts_library_asker asker;
};

struct ts_load_missing {
    const char *name;
    const struct ts_load_module *asker;
};

struct ts_load_order {
    struct ts_load_module **modules; /* the program first */
    size_t count;
    struct ts_load_missing *missing; /* libraries that are not found, each once */
    size_t missing_count;
    size_t capacity;
    size_t missing_capacity;
};

/*
 * Reads the program at `path`, those of `preload` (LD_PRELOAD's list; NULL: none), and what they need, breadth first.
 * Returns 0, or -1 and the error when the program itself cannot be read; a library that cannot is missing.
 */
int ts_load_order_read(struct ts_load_order *order, const char *path, const char *preload, const char *library_path,
                       struct ts_error *error);
void ts_load_order_free(struct ts_load_order *order);

/*
 * The module whose function the loader binds this import of `module` to; NULL: none of them defines it in that version.
 */
const struct ts_load_module *ts_load_order_definer(const struct ts_load_order *order,
                                                   const struct ts_load_module *module,
                                                   const struct ts_elf_import *import);

#endif
