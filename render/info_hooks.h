/* What `info` says of hooked functions: how many were bound, how many called, and which never were. */
#ifndef TRACESHIM_RENDER_INFO_HOOKS_H
#define TRACESHIM_RENDER_INFO_HOOKS_H

#include "render/bound_hooks.h"

#include <stdio.h>

/* A line for all, and one for each pack; none where nothing was hooked. */
void ts_info_write_hooks(const struct ts_bound_hooks *bound, FILE *out);

#endif
