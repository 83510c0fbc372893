#include "render/load_order.h"

#include "render/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* More libraries than this are damage: real programs have some hundreds. */
enum { MODULES_MOST = 4096 };

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Takes the file; the same one under another name is closed. */
static void add(struct ts_load_order *order, struct ts_elf_file *file, const struct ts_load_module *asker) {
    for (size_t i = 0; i < order->count; i++) {
        if (order->modules[i]->file->device == file->device && order->modules[i]->file->inode == file->inode) {
            ts_elf_file_close(file);
            return;
        }
    }
    struct ts_load_module *module = ts_memory_new(1, sizeof *module);
    *module = (struct ts_load_module){file, file_name(file->path), {file, asker ? &asker->asker : NULL}};
    order->modules = ts_memory_grow(order->modules, &order->capacity, order->count + 1, sizeof *order->modules);
    order->modules[order->count++] = module;
}

/* As the loader knows a library again: by the name it was asked for, its file name or its DT_SONAME. */
static bool is_loaded(const struct ts_load_order *order, const char *name) {
    for (size_t i = 1; i < order->count; i++) {
        const struct ts_load_module *module = order->modules[i];
        if (!strcmp(module->name, name) || (module->file->soname && !strcmp(module->file->soname, name)))
            return true;
    }
    for (size_t i = 0; i < order->missing_count; i++)
        if (!strcmp(order->missing[i].name, name))
            return true;
    return false;
}

static void load(struct ts_load_order *order, const struct ts_library_search *search, const char *name,
                 const struct ts_load_module *asker) {
    if (order->count + order->missing_count >= MODULES_MOST || !name[0] || is_loaded(order, name))
        return;
    struct ts_elf_file *file = ts_library_search_find(search, &asker->asker, name);
    if (file) {
        add(order, file, asker);
        return;
    }
    order->missing =
        ts_memory_grow(order->missing, &order->missing_capacity, order->missing_count + 1, sizeof *order->missing);
    order->missing[order->missing_count++] = (struct ts_load_missing){name, asker};
}

/* Separated by blanks or colons. Of one that is not found the loader tells itself, and goes on. */
static void load_preloaded(struct ts_load_order *order, const struct ts_library_search *search, const char *preload) {
    while (preload && *preload) {
        size_t bytes = strcspn(preload, " :");
        char *name = ts_memory_copy(preload, bytes);
        struct ts_elf_file *file = bytes ? ts_library_search_find(search, &order->modules[0]->asker, name) : NULL;
        if (file)
            add(order, file, order->modules[0]);
        free(name);
        preload += bytes + (preload[bytes] != '\0');
    }
}

int ts_load_order_read(struct ts_load_order *order, const char *path, const char *preload, const char *library_path,
                       struct ts_error *error) {
    *order = (struct ts_load_order){.count = 0};
    struct ts_elf_file *program = ts_elf_file_open(path, error);
    if (!program)
        return -1;
    add(order, program, NULL);
    if (program->is_static)
        return 0;
    struct ts_library_search search = {.machine = program->machine, .library_path = library_path};
    ts_library_cache_open(&search.cache, "/etc/ld.so.cache");
    load_preloaded(order, &search, preload);
    for (size_t i = 0; i < order->count; i++)
        for (size_t k = 0; k < order->modules[i]->file->needed_count; k++)
            load(order, &search, order->modules[i]->file->needed[k], order->modules[i]);
    ts_library_cache_close(&search.cache);
    return 0;
}

void ts_load_order_free(struct ts_load_order *order) {
    for (size_t i = 0; i < order->count; i++) {
        ts_elf_file_close(order->modules[i]->file);
        free(order->modules[i]);
    }
    free(order->modules);
    free(order->missing);
}

const struct ts_load_module *ts_load_order_definer(const struct ts_load_order *order,
                                                   const struct ts_load_module *module,
                                                   const struct ts_elf_import *import) {
    if (module->file->is_symbolic && ts_elf_file_defines(module->file, import->symbol, NULL))
        return module;
    for (size_t i = 0; i < order->count; i++)
        if (ts_elf_file_defines(order->modules[i]->file, import->symbol, import->version))
            return order->modules[i];
    return NULL;
}
