/* What new things in a trace come from: the records that say that a thread made a process or a program. */
#ifndef TRACESHIM_RENDER_TRACE_ORIGINS_H
#define TRACESHIM_RENDER_TRACE_ORIGINS_H

#include <stddef.h>
#include <stdint.h>

struct ts_origin_facts {
    uint32_t type;    /* TS_RECORD_FORK, _SPAWN or _EXEC */
    uint32_t process; /* number in the file */
    uint32_t thread;  /* that did it: number in the file; 0: it had recorded nothing yet */
    uint32_t pid;     /* of what is new; 0: the same */
    uint64_t clock;
};

/* Adds one to the array where `record`, of process `number` and complete, is such a record. */
void ts_origins_take(struct ts_origin_facts **origins, size_t *count, size_t *capacity, uint32_t number,
                     const uint32_t *record);

#endif
