/*
 * The functions that are known, by pack: the lines of hooks.def. Pure functions over constant tables; used inside the
 * traced program and by the renderer.
 */
#ifndef TRACESHIM_COLLECTOR_HOOK_DEFINITIONS_H
#define TRACESHIM_COLLECTOR_HOOK_DEFINITIONS_H

#include <stddef.h>
#include <stdint.h>

struct ts_hook_pack {
    const char *name; /* io, net, ... */
    const char *meaning;
    int is_default; /* selected when TRACE_HOOKS is not set */
};

struct ts_hook_definition {
    const char *symbol;
    uint32_t pack;         /* index of the pack */
    const char *signature; /* "(path:path flags:oflags mode:omode)=fd|-1" */
};

extern const struct ts_hook_pack ts_hook_packs[];
extern const uint32_t ts_hook_pack_count;
extern const struct ts_hook_definition ts_hook_definitions[];
extern const uint32_t ts_hook_definition_count;

/* The definition of the pack that lists this symbol first; NULL: not known. O(log n). */
const struct ts_hook_definition *ts_hook_definition_of(const char *symbol);

/* The same symbol may be in several packs (pthread_mutex_lock: sync and locks); the next one, or NULL. */
const struct ts_hook_definition *ts_hook_definition_next(const struct ts_hook_definition *definition);

/*
 * Why a function can never be hooked ("returns twice", "part of the loader", ...), NULL when it can: setjmp and its
 * kind, vfork, getcontext, mcount, __fentry__, __tls_get_addr, __morestack, __libc_start_main, __cxa_finalize, _ITM_*,
 * _Unwind_*, the dlopen and dlsym family (which the shim passes through itself).
 */
const char *ts_hook_refusal(const char *symbol);

#endif
