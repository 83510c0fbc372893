#include "preload/real.h"
#include "libc_version.h"
#include "preload/real_offsets.h"

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>

struct ts_real_functions ts_real_functions;

static_assert(offsetof(struct ts_real_functions, dlopen) == TS_REAL_DLOPEN, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, dlsym) == TS_REAL_DLSYM, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, makecontext) == TS_REAL_MAKECONTEXT, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, prctl) == TS_REAL_PRCTL, "preload/real_offsets.h");
static_assert(offsetof(struct ts_real_functions, syscall) == TS_REAL_SYSCALL, "preload/real_offsets.h");

void ts_real_resolve(void) {
    /* By its version, since the plain name is the shim's own dlsym. */
    void *(*find)(void *, const char *) = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", TS_LIBC_VERSION);
    if (!find)
        return;
#define REAL(name, result, parameters) ts_real_functions.name = (result(*) parameters)find(RTLD_NEXT, #name);
    TS_REAL_FUNCTIONS(REAL)
#undef REAL
    ts_real_functions.dlsym = find;
}
