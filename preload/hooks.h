/*
 * The hooked functions: one stub for each function of each name, shared by every patched slot that leads to it. A hook
 * is never removed: the stub of a function whose library was unloaded waits for the same function of the library to be
 * loaded again.
 */
#ifndef TRACESHIM_PRELOAD_HOOKS_H
#define TRACESHIM_PRELOAD_HOOKS_H

#include "collector/hook_selection.h"
#include "hook_stub.h"
#include "preload/hook_observers.h"
#include "preload/hook_steps.h"
#include "preload/hook_waits.h"

struct ts_module;

enum ts_hook_behaviour {
    TS_HOOK_IS_ENTRY_ONLY = 1,
    TS_HOOK_IS_GONE = 2,     /* its target's module has been unloaded */
    TS_HOOK_HAS_STACK = 4,   /* `window` is what its arguments take, not a guess */
    TS_HOOK_TAKES_MUTEX = 8, /* what is tried first is pthread_mutex_trylock */
    TS_HOOK_IS_WIDE = 16,    /* its calls are ENTER_WIDE: arguments are recorded, or ts_hooks_overlap */
};

struct ts_hook {
    uint64_t target;
    uint64_t identity;                         /* hash of name and module path */
    const struct ts_hook_signature *signature; /* NULL: nothing is known */
    ts_hook_try_function *try_first;           /* does the same without waiting (hook_waits.h); NULL: there is none */
    const struct ts_hook_observer *observer;   /* instead of a recorded call; NULL: an ordinary hook */
    uint32_t window;                           /* bytes of stack arguments that the call may have */
    uint32_t behaviour;                        /* enum ts_hook_behaviour */
    struct ts_hook_steps steps;                /* all zero without a signature */
};

extern struct ts_hook ts_hooks[TS_HOOK_STUBS];

/*
 * Another module shares low halves of addresses with the one that the stubs are in: those do not tell a stub. Set
 * before the first hook is made; of modules that come later, theirs are the calls to be recorded with all bits.
 */
extern int ts_hooks_overlap;

static inline uint64_t ts_hook_stub_address(uint32_t number) {
    return (uint64_t)ts_hook_stubs + (uint64_t)number * TS_HOOK_STUB_BYTES;
}

static inline int ts_hook_is_stub(uint64_t address) {
    return address - (uint64_t)ts_hook_stubs < (uint64_t)TS_HOOK_STUBS * TS_HOOK_STUB_BYTES;
}

struct ts_preamble;
/* Where HOOK records go before the trace is there; NULL: control windows. */
extern struct ts_preamble *ts_hooks_preamble;

/* Reads TRACE_HOOKS (NULL: the default) once, before everything else here. Wrong entries are said on stderr. */
void ts_hooks_begin(const char *selection);
int ts_hooks_are_on(void);
extern struct ts_hook_selection ts_hooks_selection;

/*
 * The stub for calls of `symbol` at `target`, defined by `owner`, as chosen; made when there is none yet, its HOOK
 * record written before it is returned. 0: the function is not to be hooked, or no stub is left. Under the scan's lock.
 */
uint64_t ts_hooks_stub(uint64_t target, const char *symbol, const struct ts_module *owner,
                       const struct ts_hook_choice *choice);

/* The same for a function that is refused to others: the shim passes its calls on itself. */
uint64_t ts_hooks_passed(uint64_t target, const char *symbol, const struct ts_module *owner,
                         const struct ts_hook_choice *choice);

/* The same for a function that is only observed. */
uint64_t ts_hooks_observer(uint64_t target, const char *symbol, const struct ts_module *owner,
                           const struct ts_hook_observer *observer);

/* The first of `count` stubs that are the caller's to aim; TS_HOOK_STUBS: too few are left. Under the scan's lock. */
uint32_t ts_hooks_reserve(uint32_t count);

/* The module at these addresses is gone. Under the scan's lock. */
void ts_hooks_forget(uint64_t low, uint64_t high);

/* Selected functions for which no stub was left. */
uint32_t ts_hooks_without(void);

/* Says which entries of TRACE_HOOKS have selected nothing, and that stubs ran out. Once, after the first scan. */
void ts_hooks_say_unmatched(void);

#endif
