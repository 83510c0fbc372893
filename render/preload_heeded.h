/* Whether the loader heeds LD_PRELOAD when this user, with these rights, starts a program. */
#ifndef TRACESHIM_RENDER_PRELOAD_HEEDED_H
#define TRACESHIM_RENDER_PRELOAD_HEEDED_H

#include "render/elf_file.h"

enum ts_preload_heeded {
    TS_PRELOAD_HEEDED,
    TS_PRELOAD_HEEDED_HERE, /* by us, not by every user */
    TS_PRELOAD_IGNORED,
};

/* Unless it is TS_PRELOAD_HEEDED, *why is one line, with what to do about it; the caller frees it. */
enum ts_preload_heeded ts_preload_heeded(const struct ts_elf_file *program, char **why);

#endif
