#include "preload/symbol_lookup.h"
#include "preload/hook_patch.h"
#include "preload/hooks.h"
#include "preload/modules.h"
#include "preload/real.h"

static uint64_t find(void *handle, const char *symbol, const char *version) {
    return (uint64_t)(version ? ts_real(dlvsym)(handle, symbol, version) : ts_real(dlsym)(handle, symbol));
}

static int defines(const struct ts_module *module, const char *symbol, const char *version) {
    return module->object.symbols && ts_elf_object_function(&module->object, symbol, version);
}

/* Those that came with the program: they stand first in everyone's order of search, and stay. */
static int is_defined_initially(const char *symbol, const char *version) {
    const struct ts_module *module;
    for (uint32_t i = 0; (module = ts_module_in_order(i)); i++)
        if (module->is_initial && defines(module, symbol, version))
            return 1;
    return 0;
}

/*
 * RTLD_DEFAULT begins in everyone's scope and goes on in the caller's own; with RTLD_DEEPBIND the other way round. What
 * it finds in an object that came later, it keeps from being unloaded as long as the caller is there, which would be
 * for ever when the shim asked.
 */
static int is_default_for_everyone(const char *symbol, const char *version, uint64_t caller) {
    const struct ts_module *module = ts_module_at(caller);
    return module && (module->is_initial || (!module->deep && is_defined_initially(symbol, version)));
}

static int is_behind(const struct ts_module *module, const struct ts_module *first) {
    const struct ts_module *other;
    for (uint32_t i = 0; (other = ts_module_in_order(i)) && other != module; i++)
        if (other == first)
            return 1;
    return 0;
}

/*
 * Whether what stands next behind the shim is next behind the caller too. The order is that of the program's objects,
 * and for an object that was opened itself its own and its needs': `found_there` is what is first in that.
 */
static int is_next_for(const struct ts_module *caller, const char *symbol, uint64_t found, uint64_t found_there) {
    const struct ts_module *owner = ts_module_at(found), *shim = ts_module_at((uint64_t)ts_symbol_lookup);
    if (!owner || !owner->is_initial || !defines(owner, symbol, NULL))
        return 0;
    if (caller->is_initial)
        return is_behind(owner, caller) && (is_behind(caller, shim) || !defines(shim, symbol, NULL));
    return owner == ts_module_at(found_there);
}

static uint64_t find_next(const char *symbol, const char *version, uint64_t caller) {
    if (!ts_modules_lock())
        return 0;
    const struct ts_module *module = ts_module_at(caller);
    int is_initial = module && module->is_initial && !module->is_shim;
    void *opened = module ? (void *)module->opened : NULL;
    ts_modules_unlock();
    uint64_t found = is_initial || opened ? find(RTLD_NEXT, symbol, version) : 0;
    uint64_t found_there = found && !is_initial ? find(opened, symbol, version) : 0;
    if (!found || !ts_modules_lock())
        return 0;
    module = ts_module_at(caller);
    int is_same = module && is_next_for(module, symbol, found, found_there);
    ts_modules_unlock();
    return is_same ? found : 0;
}

static uint64_t find_default(const char *symbol, const char *version, uint64_t caller) {
    if (!ts_modules_lock())
        return 0;
    int may_find = is_default_for_everyone(symbol, version, caller);
    ts_modules_unlock();
    return may_find ? find(RTLD_DEFAULT, symbol, version) : 0;
}

uint64_t ts_symbol_lookup(void *handle, const char *symbol, const char *version, uint64_t caller) {
    if (!symbol || !ts_hook_selection_may_select(&ts_hooks_selection, symbol))
        return 0;
    uint64_t found = handle == RTLD_DEFAULT ? find_default(symbol, version, caller)
                     : handle == RTLD_NEXT  ? find_next(symbol, version, caller)
                                            : find(handle, symbol, version);
    if (!found || !ts_modules_lock())
        return found;
    uint64_t answer = ts_hook_patch_found(symbol, found);
    ts_modules_unlock();
    return answer;
}

uint32_t ts_symbol_lookup_hook(const char *symbol, uint64_t address) {
    if (!ts_modules_lock())
        return 0;
    uint32_t hook = ts_hook_patch_passed(symbol, address);
    ts_modules_unlock();
    return hook;
}
