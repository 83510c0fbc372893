/* Which calls of a program and its libraries a selection would hook, and what of it would not be seen, and why. */
#ifndef TRACESHIM_RENDER_HOOK_BINDING_H
#define TRACESHIM_RENDER_HOOK_BINDING_H

#include "collector/hook_selection.h"
#include "render/load_order.h"

struct ts_hook_binding {
    const char *caller; /* file name of the module that calls */
    const char *symbol;
    const char *module;    /* that defines it */
    const char *signature; /* not terminated; NULL: not known, calls have their time alone */
    uint32_t signature_bytes;
    enum ts_elf_through through;
};

struct ts_hook_unseen {
    char *what; /* a function, an entry of the selection, a library, the program */
    char *why;
};

struct ts_hook_bindings {
    struct ts_hook_binding *bindings; /* by module in the loader's order, then by name */
    size_t count;
    size_t capacity;
    struct ts_hook_unseen *unseen;
    size_t unseen_count;
    size_t unseen_capacity;
};

/* Counts the matches of the selection's rules. Texts live as long as `order` and the selection's text. */
void ts_hook_bindings_find(struct ts_hook_bindings *bindings, const struct ts_load_order *order,
                           struct ts_hook_selection *selection);
void ts_hook_bindings_free(struct ts_hook_bindings *bindings);

#endif
