/* When recording of the processes of one trace paused and went on, as recorded. */
#ifndef TRACESHIM_RENDER_TRACE_PAUSES_H
#define TRACESHIM_RENDER_TRACE_PAUSES_H

#include <stddef.h>
#include <stdint.h>

struct ts_pause_facts {
    uint32_t process; /* number */
    uint32_t ends;    /* the pause does; else one begins */
    uint64_t clock;
};

/* Appends what this control record of process `number` says about it, if anything. */
void ts_pauses_take(struct ts_pause_facts **pauses, size_t *count, size_t *capacity, uint32_t number,
                    const uint32_t *record);

/* Sorts them by process, then clock, and leaves out what changes nothing: each is over with its process's next one. */
void ts_pauses_order(struct ts_pause_facts *pauses, size_t *count);

#endif
