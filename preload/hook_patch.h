/* Which calls of a module are hooked, and the patching of their slots. Under the scan's lock. */
#ifndef TRACESHIM_PRELOAD_HOOK_PATCH_H
#define TRACESHIM_PRELOAD_HOOK_PATCH_H

#include "preload/module.h"

enum ts_hook_patch_result {
    TS_HOOK_PATCH_DONE,
    TS_HOOK_PATCH_NOT_YET, /* the loader is still at work on the object, in another thread's dlopen */
    TS_HOOK_PATCH_REFUSED, /* its slots cannot be made writable */
};

/*
 * Counts the module's slots. `choose_only`: makes the stubs and their HOOK records, and touches nothing in the module.
 */
enum ts_hook_patch_result ts_hook_patch_module(struct ts_module *module, int choose_only);

/* The hook, 1 + its number, for a function that the shim passes on itself; 0: it is not selected. */
uint32_t ts_hook_patch_passed(const char *symbol, uint64_t address);

/* What dlsym is to answer when it has found `address` for `symbol`: the stub's, where such calls are hooked. */
uint64_t ts_hook_patch_found(const char *symbol, uint64_t address);

#endif
