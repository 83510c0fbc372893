#include "preload/loader_hooks.h"
#include "collector/text.h"
#include "preload/export.h"
#include "preload/hook_call.h"
#include "preload/hooks.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/symbol_lookup.h"
#include "preload/unseen.h"

#include <link.h>

/* Objects of other namespaces that the trace names: programs that open and close them for ever do not fill it. */
#define NOT_SEEN_MOST 32

uint8_t ts_loader_pending;
uint8_t ts_loader_finds;
int ts_loader_flags;

static int is_active;                                               /* before that, calls are passed through */
static uint32_t dlopen_hook, dlmopen_hook, dlsym_hook, dlvsym_hook; /* their numbers + 1; 0: not selected */
static uint32_t generation_before;

void ts_loader_prepare(void) {
    dlopen_hook = ts_symbol_lookup_hook("dlopen", (uint64_t)ts_real(dlopen));
    dlmopen_hook = ts_symbol_lookup_hook("dlmopen", (uint64_t)ts_real(dlmopen));
    dlsym_hook = ts_symbol_lookup_hook("dlsym", (uint64_t)ts_real(dlsym));
    dlvsym_hook = ts_symbol_lookup_hook("dlvsym", (uint64_t)ts_real(dlvsym));
}

void ts_loader_begin(void) {
    ts_loader_finds = (uint8_t)ts_hooks_are_on();
    is_active = 1;
}

static void note(uint32_t hook, uint64_t first, uint64_t second, uint64_t third, uint64_t caller) {
    if (hook && is_active)
        ts_hook_note_entry(hook - 1, &(struct ts_hook_registers){.arguments = {first, second, third}}, caller);
}

/* Whether what the loader does is the same whoever asks for the object. */
static int is_for_everyone(const char *name, uint64_t caller) {
    int path = 0, variable = 0;
    for (const char *at = name; at && *at; at++) {
        path |= *at == '/';
        variable |= *at == '$';
    }
    return (!name || (path && !variable)) && ts_modules_holds(caller);
}

static int may_open(const char *name, int flags, uint64_t caller) {
    ts_loader_flags = flags;
    if (is_for_everyone(name, caller)) {
        generation_before = ts_modules_generation();
        return 1;
    }
    __atomic_store_n(&ts_loader_pending, 1, __ATOMIC_RELEASE);
    return 0;
}

int ts_loader_may_open(const char *name, int flags, uint64_t caller) {
    note(dlopen_hook, (uint64_t)name, (uint64_t)flags, 0, caller);
    return is_active && may_open(name, flags, caller);
}

void ts_loader_after_open(const struct link_map *handle) {
    ts_modules_rescan();
    if (handle)
        ts_modules_opened(handle, generation_before);
}

static void tell_not_seen(const char *name, const char *whether) {
    static int told;
    char what[1024];
    struct ts_text text = TS_TEXT_IN(what);
    int number = __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
    if (number >= NOT_SEEN_MOST)
        return;
    ts_text_add(&text, "inside ");
    ts_text_add(&text, number < NOT_SEEN_MOST - 1 ? name : "further objects");
    ts_text_add(&text, whether);
    ts_text_add(&text, ", and what it needs");
    ts_unseen(what, "dlmopen gave it its own namespace");
}

int ts_loader_may_open_into(Lmid_t space, const char *name, int flags, uint64_t caller) {
    note(dlmopen_hook, (uint64_t)space, (uint64_t)name, (uint64_t)flags, caller);
    if (!is_active)
        return 0;
    if (space == LM_ID_BASE)
        return may_open(name, flags, caller);
    if (is_for_everyone(name, caller))
        return 1;
    tell_not_seen(name, " (if it was found)");
    return 0;
}

void ts_loader_after_open_into(struct link_map *handle) {
    Lmid_t space = LM_ID_BASE;
    if (!handle || dlinfo(handle, RTLD_DI_LMID, &space) || space == LM_ID_BASE)
        ts_loader_after_open(handle);
    else
        tell_not_seen(handle->l_name, "");
}

static uint64_t find(void *handle, const char *symbol, const char *version, uint64_t caller) {
    if (!is_active)
        return 0;
    if (__atomic_exchange_n(&ts_loader_pending, 0, __ATOMIC_ACQ_REL))
        ts_modules_rescan();
    return ts_loader_finds ? ts_symbol_lookup(handle, symbol, version, caller) : 0;
}

uint64_t ts_loader_find(void *handle, const char *symbol, const char *unused, uint64_t caller) {
    (void)unused;
    note(dlsym_hook, (uint64_t)handle, (uint64_t)symbol, 0, caller);
    return find(handle, symbol, NULL, caller);
}

uint64_t ts_loader_find_version(void *handle, const char *symbol, const char *version, uint64_t caller) {
    note(dlvsym_hook, (uint64_t)handle, (uint64_t)symbol, (uint64_t)version, caller);
    return find(handle, symbol, version, caller);
}

TS_EXPORT int dlclose(void *handle) {
    int result = ts_real(dlclose)(handle);
    if (is_active)
        ts_modules_rescan();
    return result;
}
