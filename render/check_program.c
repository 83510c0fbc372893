#include "render/check_parts.h"
#include "render/memory.h"
#include "render/preload_heeded.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_heeded(struct ts_check *check, const struct ts_elf_file *program) {
    char *why;
    enum ts_preload_heeded heeded = ts_preload_heeded(program, &why);
    if (heeded == TS_PRELOAD_IGNORED)
        ts_check_add(check, TS_CHECK_FAIL, "%s", why);
    else if (heeded == TS_PRELOAD_HEEDED_HERE)
        ts_check_add(check, TS_CHECK_NOTE, "%s", why);
    free(why);
}

/* Returns whether it is glibc's, which is told by what it defines: musl's is the C library itself. */
static bool check_loader(struct ts_check *check, const char *path) {
    struct ts_error error;
    bool is_glibc = false;
    if (access(path, F_OK) != 0) {
        ts_check_add(check, TS_CHECK_FAIL,
                     "its loader %s is not there, so that it does not start; install the C library it was built for",
                     path);
        return false;
    }
    struct ts_elf_file *loader = ts_elf_file_open(path, &error);
    if (!loader)
        ts_check_add(check, TS_CHECK_FAIL, "its loader: %s", error.text);
    else if (ts_elf_file_defines(loader, "__libc_start_main", NULL))
        ts_check_add(check, TS_CHECK_FAIL,
                     "its C library is musl, which has not all that libtraceshim.so needs of glibc: the loader ends "
                     "the program; link it with glibc");
    else if (!ts_elf_file_defines(loader, "_dl_mcount", NULL))
        ts_check_add(check, TS_CHECK_NOTE,
                     "its loader %s is not glibc's; whether it heeds LD_PRELOAD, and what it loads, is not known",
                     path);
    else
        is_glibc = true;
    ts_elf_file_close(loader);
    return is_glibc;
}

static void check_libraries(struct ts_check *check, const struct ts_load_order *order) {
    for (size_t i = 0; i < order->missing_count; i++)
        ts_check_add(check, TS_CHECK_FAIL,
                     "library %s, which %s needs, is not found, so that it does not start; install it, or name its "
                     "directory in LD_LIBRARY_PATH",
                     order->missing[i].name, order->missing[i].asker->name);
    if (!order->missing_count)
        ts_check_add(check, TS_CHECK_OK, "all of its libraries are found (%zu)", order->count - 1);
}

/* A C library that is older than the one that the shim was built with makes the loader refuse both. */
static void check_versions(struct ts_check *check, const struct ts_load_order *order, const struct ts_elf_file *shim) {
    for (size_t i = 0; i < shim->import_count; i++) {
        const struct ts_elf_import *import = &shim->imports[i];
        bool is_defined = !import->version;
        for (size_t k = 0; k < order->count && !is_defined; k++)
            is_defined = ts_elf_file_defines(order->modules[k]->file, import->symbol, import->version);
        if (is_defined)
            continue;
        ts_check_add(check, TS_CHECK_FAIL,
                     "its C library has no %s (%s), which libtraceshim.so needs, and does not start with it; build "
                     "traceshim where that library is",
                     import->symbol, import->version);
        return;
    }
}

static void check_loaded(struct ts_check *check, const struct ts_load_order *order, const struct ts_elf_file *shim) {
    const struct ts_elf_file *program = order->modules[0]->file;
    if (shim && strcmp(shim->machine, program->machine) != 0) {
        ts_check_add(check, TS_CHECK_FAIL, "for %s, and %s is for %s; build the library for it (make shim CC=...)",
                     program->machine, shim->path, shim->machine);
        return;
    }
    ts_check_add(check, TS_CHECK_OK, "dynamically linked, %s", program->machine);
    check_heeded(check, program);
    if (!check_loader(check, program->interpreter))
        return;
    check_libraries(check, order);
    if (shim && !order->missing_count)
        check_versions(check, order, shim);
    if (program->is_sealed)
        ts_check_add(check, TS_CHECK_OK,
                     "full RELRO: its table of functions is made writable for a moment to be patched; where mprotect "
                     "is refused, its calls are not recorded");
    ts_check_recorded(check, order, shim);
    ts_check_neighbours(check, order);
}

void ts_check_program(struct ts_check *check, const char *path, const char *shim_path) {
    struct ts_load_order order;
    struct ts_error error;
    struct ts_elf_file *shim = NULL;
    if (ts_load_order_read(&order, path, getenv("LD_PRELOAD"), getenv("LD_LIBRARY_PATH"), &error) != 0) {
        ts_check_add(check, TS_CHECK_FAIL, "%s", error.text);
        return;
    }
    if (shim_path && !(shim = ts_elf_file_open(shim_path, &error)))
        ts_check_add(check, TS_CHECK_FAIL, "%s; build it anew", error.text);
    if (order.modules[0]->file->is_cut)
        ts_check_add(check, TS_CHECK_FAIL, "%s is damaged: it ends before what its headers tell of; build it anew",
                     path);
    else if (order.modules[0]->file->is_static)
        check_heeded(check, order.modules[0]->file);
    else if (!order.modules[0]->file->interpreter)
        ts_check_add(check, TS_CHECK_FAIL,
                     "names no loader, so that no library is loaded with it: it is a library "
                     "itself, or statically linked; give the path of a program");
    else
        check_loaded(check, &order, shim);
    ts_elf_file_close(shim);
    ts_load_order_free(&order);
}
