/* Calls that no record can be expected of, and why: what a person must know who reads the counts. */
#ifndef TRACESHIM_RENDER_UNSEEN_H
#define TRACESHIM_RENDER_UNSEEN_H

#include "render/bound_hooks.h"
#include "render/patched_modules.h"

struct ts_unseen {
    char *what; /* calls, for people */
    char *why;
};

struct ts_unseen_list {
    struct ts_unseen *items;
    size_t count;
    size_t capacity;
};

void ts_unseen_find(struct ts_unseen_list *unseen, const struct ts_session *session, const struct ts_bound_hooks *bound,
                    const struct ts_patched_modules *modules);
void ts_unseen_free(struct ts_unseen_list *unseen);

#endif
