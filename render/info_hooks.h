/* What `info` says of hooked functions: how many were bound, how many called, and which never were. */
#ifndef TRACESHIM_RENDER_INFO_HOOKS_H
#define TRACESHIM_RENDER_INFO_HOOKS_H

#include "render/replay.h"

#include <stdio.h>

/* Calls by function. All zero at first. */
struct ts_hook_calls {
    uint64_t *calls; /* by ts_function.id; those beyond `count` were not called */
    size_t count;
    size_t capacity;
};

struct ts_sink ts_hook_calls_sink(struct ts_hook_calls *counted);
void ts_hook_calls_free(struct ts_hook_calls *counted);

/* A line for all, and one for each pack; none where nothing was hooked. */
void ts_info_write_hooks(const struct ts_session *session, const struct ts_hook_calls *counted, FILE *out);

#endif
