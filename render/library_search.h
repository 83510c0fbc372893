/*
 * Where the loader finds a library (ld.so(8)): DT_RPATH of who asks and of who asked for that, LD_LIBRARY_PATH,
 * DT_RUNPATH of who asks, /etc/ld.so.cache, the default directories. Nothing is executed. It cannot know what a loader
 * of another kind than glibc's does.
 */
#ifndef TRACESHIM_RENDER_LIBRARY_SEARCH_H
#define TRACESHIM_RENDER_LIBRARY_SEARCH_H

#include "render/elf_file.h"
#include "render/library_cache.h"

struct ts_library_search {
    const char *machine;      /* of the program: a library of another one is passed over */
    const char *library_path; /* LD_LIBRARY_PATH; NULL: not set, or not heeded */
    struct ts_library_cache cache;
};

/* Who asks for a library. */
struct ts_library_asker {
    const struct ts_elf_file *file;
    const struct ts_library_asker *asker; /* who asked for this one; NULL: it is the program */
};

/* The caller closes it; NULL: there is none. */
struct ts_elf_file *ts_library_search_find(const struct ts_library_search *search, const struct ts_library_asker *asker,
                                           const char *name);

#endif
