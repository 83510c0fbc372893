#include "preload/symbol_lookup.h"
#include "preload/hook_patch.h"
#include "preload/hooks.h"
#include "preload/modules.h"
#include "preload/real.h"

static uint64_t find(void *handle, const char *symbol, const char *version) {
    return (uint64_t)(version ? ts_real(dlvsym)(handle, symbol, version) : ts_real(dlsym)(handle, symbol));
}

uint64_t ts_symbol_lookup(void *handle, const char *symbol, const char *version, uint64_t caller) {
    if (!symbol || !ts_hook_selection_may_select(&ts_hooks_selection, symbol) || handle == RTLD_NEXT)
        return 0;
    if (!ts_modules_lock())
        return 0;
    /* RTLD_DEFAULT begins in everyone's scope and goes on in the caller's: that differs for what was loaded later. */
    const struct ts_module *module = ts_module_at(caller);
    int may_find = handle != RTLD_DEFAULT || (module && module->is_initial);
    ts_modules_unlock();
    uint64_t found = may_find ? find(handle, symbol, version) : 0;
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
