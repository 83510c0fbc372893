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
    int is_of_libc; /* its functions are the C library's */
};

/* Texts are given by where they begin in ts_hook_texts: pointers would have to be relocated at each start. */
struct ts_hook_definition {
    uint32_t symbol;
    uint32_t pack; /* index of the pack */
    uint32_t signature;
};

extern const struct ts_hook_pack ts_hook_packs[];
extern const uint32_t ts_hook_pack_count;
extern const struct ts_hook_definition ts_hook_definitions[];
extern const uint32_t ts_hook_definition_count;
extern const char *const ts_hook_texts;

static inline const char *ts_hook_definition_symbol(const struct ts_hook_definition *definition) {
    return ts_hook_texts + definition->symbol;
}

/* "(path:path flags:oflags mode:omode)=fd|-1" */
static inline const char *ts_hook_definition_signature(const struct ts_hook_definition *definition) {
    return ts_hook_texts + definition->signature;
}

/* The definition of the pack that lists this symbol first; NULL: not known. O(length of the symbol). */
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
