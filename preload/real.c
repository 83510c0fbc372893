#include "preload/real.h"
#include "libc_version.h"
#include "preload/elf_object.h"
#include "preload/own_calls.h"
#include "preload/real_offsets.h"

#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

struct ts_real_functions ts_real_functions;
void *(*ts_real_libc_dlopen)(const char *name, int flags);

static_assert(offsetof(struct ts_real_functions, dlopen) == TS_REAL_DLOPEN, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, dlsym) == TS_REAL_DLSYM, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, dlmopen) == TS_REAL_DLMOPEN, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, dlvsym) == TS_REAL_DLVSYM, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, makecontext) == TS_REAL_MAKECONTEXT, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, prctl) == TS_REAL_PRCTL, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, syscall) == TS_REAL_SYSCALL, "preload/real_offsets.h");

typedef void *find_function(void *handle, const char *name);

/* The first object on the loader's list that has the shim; *shim: its own entry. NULL: there is none. */
static const struct link_map *find_list(const struct link_map **shim) {
    Dl_info info;
    struct link_map *found = NULL;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        if (map->l_ld == _DYNAMIC) {
            *shim = map;
            return _r_debug.r_map;
        }
    /* In a namespace of dlmopen's. */
    if (!dladdr1(&ts_real_functions, &info, (void **)&found, RTLD_DL_LINKMAP))
        return NULL;
    *shim = found;
    while (found && found->l_prev)
        found = found->l_prev;
    return found;
}

/*
 * Not by dlsym or dlvsym: those are the shim's own, which are not there before this. Nor by any other function: whose
 * it would be is not known before this. libc is what defines a function of its own with a version of its own; others
 * that define that function have no versions.
 */
static int read_libc(struct ts_elf_object *libc, const struct link_map *map) {
    for (; map; map = map->l_next)
        if (ts_elf_object_read_linked(libc, map) == 0 && libc->versions_defined && libc->version_numbers &&
            ts_elf_object_function(libc, "gnu_get_libc_version", TS_LIBC_VERSION)) {
            libc->high = (uint64_t)map->l_ld; /* behind its code */
            return 0;
        }
    return -1;
}

void ts_real_resolve(void) {
    struct ts_elf_object libc, shim;
    const struct link_map *shim_map = NULL, *first = find_list(&shim_map);
    find_function *find = NULL;
    if (read_libc(&libc, first) == 0)
        find = (find_function *)ts_elf_object_function(&libc, "dlsym", TS_LIBC_VERSION);
    if (!find)
        return;
    if (ts_elf_object_read_linked(&shim, shim_map) == 0)
        ts_own_calls_bind(&shim, &libc);
#define REAL(name, result, parameters) ts_real_functions.name = (result(*) parameters)find(RTLD_NEXT, #name);
#define LIBC(name, result, parameters)
    TS_REAL_FUNCTIONS(REAL, LIBC)
#undef LIBC
#undef REAL
    ts_real_functions.dlsym = find;
    ts_real_libc_dlopen = (void *(*)(const char *, int))ts_elf_object_function(&libc, "dlopen", NULL);
    /* Time as it is, not as a library between us and libc makes it: that may stand still or run backwards. */
    ts_real_functions.clock_gettime =
        (int (*)(clockid_t, struct timespec *))ts_elf_object_function(&libc, "clock_gettime", "GLIBC_2.17");
}
