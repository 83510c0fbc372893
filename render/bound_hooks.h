/* The hooked functions of a session: which were bound, and how often each was called. */
#ifndef TRACESHIM_RENDER_BOUND_HOOKS_H
#define TRACESHIM_RENDER_BOUND_HOOKS_H

#include "render/info_counts.h"

struct ts_bound_hook {
    const char *pack; /* "" where it is in none */
    const char *name;
    const char *scope;
    const char *signature;
    uint64_t calls;
};

struct ts_bound_hooks {
    struct ts_bound_hook *hooks; /* by pack, name and scope: one for all processes that bound it */
    size_t count;
};

/* Texts live as long as the session. */
void ts_bound_hooks_find(struct ts_bound_hooks *bound, const struct ts_session *session,
                         const struct ts_info_counts *counts);
void ts_bound_hooks_free(struct ts_bound_hooks *bound);

/* How many from `first` on are of the same pack, and how many of `count` were called. */
size_t ts_bound_hooks_of_pack(const struct ts_bound_hooks *bound, size_t first);
size_t ts_bound_hooks_called(const struct ts_bound_hook *hooks, size_t count);

#endif
