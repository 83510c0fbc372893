#include "preload/loader_hooks.h"
#include "collector/text.h"
#include "preload/export.h"
#include "preload/modules.h"
#include "preload/real.h"

#include <dlfcn.h>

uint8_t ts_loader_pending;
uint8_t ts_loader_active;

int ts_loader_may_call(const char *name, uint64_t caller) {
    if (!ts_loader_active)
        return 0;
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

TS_EXPORT int dlclose(void *handle) {
    int result = ts_real(dlclose)(handle);
    if (ts_loader_active)
        ts_modules_rescan();
    return result;
}
