/* The modules of a session: which of their calls lead to the recorder. */
#ifndef TRACESHIM_RENDER_PATCHED_MODULES_H
#define TRACESHIM_RENDER_PATCHED_MODULES_H

#include "render/session.h"

struct ts_patched_module {
    const struct ts_object *object;
    int is_instrumented; /* compiled with -finstrument-functions, in a process at least */
    int is_library;      /* a file: not the kernel's vdso, not the recorder */
    int is_told;         /* the numbers below are: a process came to its end that had loaded it */
    /* As in struct ts_record_slots, of all its mappings. */
    uint64_t patched;
    uint64_t left;
    uint64_t refused;
};

struct ts_patched_modules {
    struct ts_patched_module *modules; /* one for each object that was mapped, in the order of the registry */
    size_t count;
};

void ts_patched_modules_find(struct ts_patched_modules *patched, const struct ts_session *session);
void ts_patched_modules_free(struct ts_patched_modules *patched);

#endif
