/*
 * What the loader reads of an ELF file: what it needs, what it calls, what it defines. By its segments, as the loader
 * does (sections may be stripped off). Hostile files give an error or fewer names, never a crash.
 */
#ifndef TRACESHIM_RENDER_ELF_FILE_H
#define TRACESHIM_RENDER_ELF_FILE_H

#include "render/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How a file refers to a function; the first that holds counts. */
enum ts_elf_through {
    TS_ELF_CALL,    /* it calls through the PLT */
    TS_ELF_POINTER, /* it calls through a slot of the GOT (-fno-plt); on other machines than x86-64 it may do so */
    TS_ELF_DATA,    /* its address stands in a table or variable of the file */
    TS_ELF_ADDRESS, /* its code takes the address */
};

struct ts_elf_import {
    const char *symbol;
    const char *version; /* NULL: any */
    enum ts_elf_through through;
    bool is_canonical; /* of a program at a fixed address: its PLT entry is the function's address for everyone */
};

struct ts_elf_function {
    const char *name;
    const char *version; /* NULL: none */
};

struct ts_elf_file {
    char *path;
    dev_t device;
    ino_t inode;
    mode_t mode;
    uid_t owner;
    gid_t group;
    const char *machine; /* "x86-64", "aarch64" */
    bool is_static;      /* a program that no loader touches */
    bool is_fixed;       /* a program at a fixed address: no PIE */
    bool is_sealed;      /* full RELRO: its tables of functions are read-only once it is loaded */
    bool is_go;
    bool is_cut;       /* it ends before a segment does that the loader maps */
    bool is_symbolic;  /* its own functions come first */
    bool has_versions; /* of what it defines */

    /* All texts live as long as this; NULL: none. */
    const char *interpreter; /* the loader that it asks for */
    const char *soname;
    const char *rpath;
    const char *runpath;
    const char **needed;
    size_t needed_count;
    struct ts_elf_import *imports; /* sorted by symbol, each once */
    size_t import_count;
    struct ts_elf_function *functions; /* that it defines for others; sorted by name */
    size_t function_count;

    int fd;
    void *elf; /* libelf's */
};

/* NULL and the error where it is no linked ELF file of 64 bits for a machine that traceshim records on. */
struct ts_elf_file *ts_elf_file_open(const char *path, struct ts_error *error);
void ts_elf_file_close(struct ts_elf_file *file);

/* NULL: the file does not refer to it. */
const struct ts_elf_import *ts_elf_file_import(const struct ts_elf_file *file, const char *symbol);

/* `version` NULL: in whatever version. A file without versions defines all of them. */
bool ts_elf_file_defines(const struct ts_elf_file *file, const char *function, const char *version);

#endif
