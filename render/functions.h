/*
 * Functions seen in a session. A function is an address in an object (a module's file, the same for every process that
 * maps it), so calls of all processes add up. Names are looked up at the first ts_function_name, offline.
 * ts_functions_intern, ts_functions_at and ts_function_name may be called by several threads at once, the rest by one.
 * Everything is owned by the registry and lives as long as it.
 */
#ifndef TRACESHIM_RENDER_FUNCTIONS_H
#define TRACESHIM_RENDER_FUNCTIONS_H

#include "render/hooked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A module's file. Two objects differ in path or build-id. */
struct ts_object {
    char *path;        /* as the program mapped it; "" when unknown */
    const char *scope; /* file name of the path; what a span shows in braces; "?" when unknown */
    uint8_t build_id[64];
    uint32_t build_id_bytes; /* 0: none recorded */
    struct ts_symbols *symbols;
    struct ts_kept_names *kept; /* where to look what the file does not tell: the registry's */
    char *failure;              /* why there are no symbols (file gone, rebuilt since); NULL: nothing failed */
    char *problem;              /* the failure and what is missing for it; NULL: nothing that was asked for */
    bool names_missing;         /* the problem is that names are */
    int symbols_tried;          /* symbols and failure are final */
    bool is_loaded;   /* a module of some process; else only a hook, or a program that was not recorded, names it */
    bool is_recorder; /* libtraceshim.so, by its file's name: nobody's code */
};

struct ts_function {
    struct ts_object *object;       /* NULL: the address lies in no known module */
    uint64_t address;               /* in the object's file; the run-time address where object is NULL */
    const char *name;               /* NULL until ts_function_name */
    const char *file;               /* source file as debug information tells it; NULL: not known, or not asked for */
    uint32_t line;                  /* 0: not known, or not asked for */
    bool is_moment;                 /* no function: something that happened, `name` */
    bool source_tried;              /* file and line are final */
    bool line_tried;                /* ts_function_line was asked */
    const struct ts_hooked *hooked; /* of a function that HOOK records name; NULL: an instrumented one */
    uint32_t id;                    /* 0, 1, 2, ... in order of interning: index for a consumer's own tables */
};

struct ts_functions; /* the registry */
struct ts_kept_names;
struct ts_source; /* render/symbols.h */

/* The address of a function that has no code of its own. */
#define TS_FUNCTION_NO_ADDRESS UINT64_MAX

struct ts_functions *ts_functions_new(void);
void ts_functions_free(struct ts_functions *functions);
/* What was kept of earlier renderings: used where the file of an object is gone or is another. */
struct ts_kept_names *ts_functions_kept(const struct ts_functions *functions);

struct ts_object *ts_functions_object(struct ts_functions *functions, const char *path, const uint8_t *build_id,
                                      uint32_t build_id_bytes);
struct ts_function *ts_functions_intern(struct ts_functions *functions, struct ts_object *object, uint64_t address);
/*
 * A hooked function: the same wherever everything is the same. It takes its name from `symbol`, not from the object,
 * and differs from the function at that address whose calls are instrumented.
 */
struct ts_function *ts_functions_intern_hooked(struct ts_functions *functions, struct ts_object *object,
                                               uint64_t address, const char *symbol, const char *signature,
                                               const char *pack, uint32_t flags);

/* The function of the object that covers `address`, by its symbols or unwind table; else one of that address. */
struct ts_function *ts_functions_around(struct ts_functions *functions, struct ts_object *object, uint64_t address);

/* A function that has no code of its own, by the name that a compiler gives it. */
struct ts_function *ts_functions_intern_inlined(struct ts_functions *functions, struct ts_object *object,
                                                const char *linkage_name);

/* Something that happened in code of `object` (NULL: not known), for output that has a line for it as for a call. */
struct ts_function *ts_functions_intern_moment(struct ts_functions *functions, struct ts_object *object,
                                               const char *name);

/* Number of functions interned so far, and the one with this id. */
uint32_t ts_functions_count(const struct ts_functions *functions);
struct ts_function *ts_functions_at(const struct ts_functions *functions, uint32_t id);

/* Number of objects, and the one with this index (for `info`: objects with a problem). */
uint32_t ts_functions_object_count(const struct ts_functions *functions);
struct ts_object *ts_functions_object_at(const struct ts_functions *functions, uint32_t index);

/*
 * The name a person reads: qualified, demangled, without parameters and return type; `module+0x1234` where there is no
 * symbol. Never empty; may hold any bytes that a symbol table holds: writers escape it.
 */
const char *ts_function_name(struct ts_function *function);
/*
 * Fills file and line. Apart from the name because it opens the object's debug information, which can be a hundred
 * times its symbol table: only for output that shows them. Returns 0, or -1 when they are not known.
 */
int ts_function_source(struct ts_function *function);
/* Where the instruction at the function's address stands in the source; source->file as above. 0, or -1. */
int ts_function_line(struct ts_function *function, struct ts_source *source);
/* The same for any instruction of the object; and the functions that are inlined there (dwarf_lines.h). */
int ts_object_line(struct ts_object *object, uint64_t address, struct ts_source *source);
size_t ts_object_inlined(struct ts_object *object, uint64_t address, const char **names, size_t most);
/* What a person chose to call it besides its name (a hook's `label=`); NULL: nothing. */
const char *ts_function_label(const struct ts_function *function);
/* Its calls are moments: they never return, so that nothing is known of their duration. */
bool ts_function_is_instant(const struct ts_function *function);
/* File name of the function's object, "?" where there is none. Never empty. */
const char *ts_function_scope(const struct ts_function *function);

#endif
