#include "preload/loader_hooks.h"
#include "collector/text.h"
#include "preload/export.h"
#include "preload/hook_call.h"
#include "preload/hooks.h"
#include "preload/modules.h"
#include "preload/real.h"

#include <dlfcn.h>

uint8_t ts_loader_pending;
uint8_t ts_loader_active;
uint8_t ts_loader_finds;
int ts_loader_flags;

static uint32_t dlopen_hook, dlsym_hook; /* their numbers + 1; 0: not selected */

void ts_loader_prepare(void) {
    dlopen_hook = ts_modules_hook_for("dlopen", (uint64_t)ts_real(dlopen));
    dlsym_hook = ts_modules_hook_for("dlsym", (uint64_t)ts_real(dlsym));
}

void ts_loader_begin(void) {
    ts_loader_finds = (uint8_t)ts_hooks_are_on();
    ts_loader_active = 1;
}

static void note(uint32_t hook, uint64_t first, uint64_t second, uint64_t caller) {
    if (hook)
        ts_hook_note_entry(hook - 1, &(struct ts_hook_registers){.arguments = {first, second}}, caller);
}

int ts_loader_may_call(const char *name, uint64_t caller, int flags) {
    if (!ts_loader_active)
        return 0;
    note(dlopen_hook, (uint64_t)name, (uint64_t)flags, caller);
    ts_loader_flags = flags;
    int path = 0, variable = 0;
    for (const char *at = name; at && *at; at++) {
        path |= *at == '/';
        variable |= *at == '$';
    }
    if ((!name || (path && !variable)) && ts_modules_holds(caller))
        return 1;
    __atomic_store_n(&ts_loader_pending, 1, __ATOMIC_RELEASE);
    return 0;
}

void ts_loader_look(void) {
    if (__atomic_exchange_n(&ts_loader_pending, 0, __ATOMIC_ACQ_REL) && ts_loader_active)
        ts_modules_rescan();
}

void ts_loader_after_open(void) {
    ts_modules_rescan();
}

/* RTLD_DEFAULT begins in everyone's scope and goes on in the caller's own: that differs for what was loaded later. */
int ts_loader_may_find(const void *handle, const char *symbol, uint64_t caller) {
    note(dlsym_hook, (uint64_t)handle, (uint64_t)symbol, caller);
    return ts_loader_active && handle != RTLD_NEXT && symbol &&
           (handle != RTLD_DEFAULT || ts_modules_is_initial(caller)) &&
           ts_hook_selection_may_select(&ts_hooks_selection, symbol);
}

uint64_t ts_loader_after_find(uint64_t address, const char *symbol) {
    return address ? ts_modules_found(symbol, address) : 0;
}

TS_EXPORT int dlclose(void *handle) {
    int result = ts_real(dlclose)(handle);
    if (ts_loader_active)
        ts_modules_rescan();
    return result;
}
