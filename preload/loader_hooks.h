/* The program loads and unloads objects, and asks for symbols: arch/<cpu>/loader.S receives the calls. */
#ifndef TRACESHIM_PRELOAD_LOADER_HOOKS_H
#define TRACESHIM_PRELOAD_LOADER_HOOKS_H

#include <stdint.h>

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
int ts_loader_may_call(const char *name, uint64_t caller, int flags);
void ts_loader_after_open(void);
/* Of the newest dlopen. */
extern int ts_loader_flags;
/* An object may have come since the last look: looks. */
void ts_loader_look(void);

/*
 * Before dlsym, when calls through what it finds may be hooked: whether the shim may call it, since its answer does not
 * depend on the caller; and then what to answer.
 */
int ts_loader_may_find(const void *handle, const char *symbol, uint64_t caller);
uint64_t ts_loader_after_find(uint64_t address, const char *symbol);
/* Some calls are hooked. Read by assembly before dlsym. */
extern uint8_t ts_loader_finds;

/* Set: an object may have come since the last look. Read by assembly before dlsym. */
extern uint8_t ts_loader_pending;
/* Recording runs: before that, calls are passed through. */
extern uint8_t ts_loader_active;

#endif
