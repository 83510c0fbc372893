/* The program loads and unloads objects, and asks for symbols: arch/<cpu>/loader.S receives the calls. */
#ifndef TRACESHIM_PRELOAD_LOADER_HOOKS_H
#define TRACESHIM_PRELOAD_LOADER_HOOKS_H

#include <dlfcn.h>
#include <stdint.h>

struct link_map;

/* The modules are known: chooses the hooks of what is passed on. */
void ts_loader_prepare(void);

/* Recording runs. */
void ts_loader_begin(void);

/*
 * Before dlopen. The loader takes its caller from the return address (for RUNPATH, $ORIGIN and the namespace), so that
 * the call is jumped to, and the new object is looked at when the program asks for its symbols. Only where the caller
 * does not matter (a path, or the program itself, asked for from the base namespace) may the shim call instead, and
 * look at once. Returns whether it may.
 */
int ts_loader_may_open(const char *name, int flags, uint64_t caller);
void ts_loader_after_open(const struct link_map *handle);

/* The same for dlmopen. What goes into another namespace is not seen by the shim, and the trace is told so. */
int ts_loader_may_open_into(Lmid_t space, const char *name, int flags, uint64_t caller);
void ts_loader_after_open_into(struct link_map *handle);

/* Of the newest dlopen. */
extern int ts_loader_flags;

/*
 * Before dlsym and dlvsym, when ts_loader_pending or ts_loader_finds is set: the answer; 0: the call is jumped to
 * (symbol_lookup.h).
 */
uint64_t ts_loader_find(void *handle, const char *symbol, const char *unused, uint64_t caller);
uint64_t ts_loader_find_version(void *handle, const char *symbol, const char *version, uint64_t caller);

/* Some calls are hooked. Read by assembly. */
extern uint8_t ts_loader_finds;
/* Set: an object may have come since the last look. Read by assembly. */
extern uint8_t ts_loader_pending;

#endif
