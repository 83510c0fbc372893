/*
 * Which functions of a module TRACE_FUNCTIONS or TRACE_COMPARES wants, by the names that tree and report show:
 * `traceshim functions` is asked, in a process of its own. Names are read and demangled there; nothing of the program's
 * runs for it.
 */
#ifndef TRACESHIM_PRELOAD_FUNCTION_LIST_H
#define TRACESHIM_PRELOAD_FUNCTION_LIST_H

#include "preload/module.h"

/* Of one file; it stays, and serves whenever the file is loaded again. */
struct ts_function_list {
    struct ts_function_list *next;
    const char *globs;
    uint64_t identity; /* of the module and of its file as it was */
    uint64_t count;
    uint64_t functions[]; /* as in struct ts_function_lines */
};

/* At start. `timeout_seconds`: for each module; 0: no limit. */
void ts_function_list_begin(uint64_t timeout_seconds);

/*
 * `option`: its name; `globs`: what it says, which must stay. An empty list where the file tells no names: the module's
 * functions are shown without. NULL when there was no answer; said on stderr, and no other module is asked for from
 * then on. Under the scan's lock.
 */
const struct ts_function_list *ts_function_list_of(const struct ts_module *module, const char *option,
                                                   const char *globs);

/* Whether an answer is waited for now: the scan's lock is held that long. */
int ts_function_list_is_awaited(void);

#endif
