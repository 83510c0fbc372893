#include "preload/real.h"
#include "libc_version.h"
#include "preload/elf_object.h"
#include "preload/real_offsets.h"

#include <assert.h>
#include <dlfcn.h>
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

/* The object that defines libc's version of dlsym is libc: the shim and other preloads have none. */
static int find_in(struct dl_phdr_info *info, size_t bytes, void *found) {
    struct ts_elf_object object;
    (void)bytes;
    if (ts_elf_object_read(&object, info) == 0 && object.versions_defined)
        *(find_function **)found = (find_function *)ts_elf_object_function(&object, "dlsym", TS_LIBC_VERSION);
    return *(find_function **)found != NULL;
}

void ts_real_resolve(void) {
    /* Not by dlsym or dlvsym: those are the shim's own, which are not there before this. */
    find_function *find = NULL;
    dl_iterate_phdr(find_in, &find);
    if (!find)
        return;
#define REAL(name, result, parameters) ts_real_functions.name = (result(*) parameters)find(RTLD_NEXT, #name);
    TS_REAL_FUNCTIONS(REAL)
#undef REAL
    ts_real_functions.dlsym = find;
}
