#include "preload/real.h"
#include "libc_version.h"
#include "preload/elf_object.h"
#include "preload/real_offsets.h"

#include <assert.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stddef.h>

struct ts_real_functions ts_real_functions;

static_assert(offsetof(struct ts_real_functions, dlopen) == TS_REAL_DLOPEN, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, dlsym) == TS_REAL_DLSYM, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, dlmopen) == TS_REAL_DLMOPEN, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, dlvsym) == TS_REAL_DLVSYM, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, makecontext) == TS_REAL_MAKECONTEXT, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, prctl) == TS_REAL_PRCTL, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, syscall) == TS_REAL_SYSCALL, "preload/real_offsets.h");

typedef void *find_function(void *handle, const char *name);

/*
 * Not by dlsym or dlvsym: those are the shim's own, which are not there before this. Nor by dl_iterate_phdr: sanitizers
 * bring their own, which leads nowhere while they ask for functions. Nor by dladdr of a function of libc, which goes
 * through all symbols of libc: from the shim, whose symbols are few, along the loader's list.
 */
static int read_libc(struct ts_elf_object *object) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(&ts_real_functions, &info, (void **)&map, RTLD_DL_LINKMAP))
        return -1;
    while (map && map->l_prev)
        map = map->l_prev;
    for (; map; map = map->l_next)
        if (ts_elf_object_read_linked(object, map) == 0 &&
            ts_elf_object_function(object, "gnu_get_libc_version", NULL) == (uint64_t)gnu_get_libc_version)
            return 0;
    return -1;
}

void ts_real_resolve(void) {
    struct ts_elf_object libc;
    find_function *find = NULL;
    if (read_libc(&libc) == 0)
        find = (find_function *)ts_elf_object_function(&libc, "dlsym", TS_LIBC_VERSION);
    if (!find)
        return;
#define REAL(name, result, parameters) ts_real_functions.name = (result(*) parameters)find(RTLD_NEXT, #name);
    TS_REAL_FUNCTIONS(REAL)
#undef REAL
    ts_real_functions.dlsym = find;
    /* Time as it is, not as a library between us and libc makes it: that may stand still or run backwards. */
    uint64_t clock = ts_elf_object_function(&libc, "clock_gettime", "GLIBC_2.17");
    if (clock)
        ts_real_functions.clock_gettime = (int (*)(clockid_t, struct timespec *))clock;
}
