/* What the program's dlsym and dlvsym find, where calls through it may be hooked. */
#ifndef TRACESHIM_PRELOAD_SYMBOL_LOOKUP_H
#define TRACESHIM_PRELOAD_SYMBOL_LOOKUP_H

#include <stdint.h>

/*
 * The answer to dlsym (`version` NULL) or dlvsym, called from `caller`. 0: it is to be passed on from there, since
 * there is none, or the caller decides what it is: libc takes its own from the return address. The call for which it is
 * 0 has not been made, as far as dlerror tells.
 */
uint64_t ts_symbol_lookup(void *handle, const char *symbol, const char *version, uint64_t caller);

/* The hook, 1 + its number, for a function of libc that the shim passes on itself; 0: it is not selected. */
uint32_t ts_symbol_lookup_hook(const char *symbol, uint64_t address);

#endif
