/* When recording was paused (TRACE_START, TRACE_SIGNAL): that is missing because someone wanted it so. */
#ifndef TRACESHIM_RENDER_PAUSES_H
#define TRACESHIM_RENDER_PAUSES_H

#include "render/session.h"

struct ts_pauses {
    uint64_t count;
    uint64_t ns;      /* of all of them together */
    size_t processes; /* that had one */
};

/* Of all processes; of one that was still paused when it ended, or was last seen, up to then. */
struct ts_pauses ts_pauses_find(const struct ts_session *session);

/* "recording was paused 2 times, 1.50 s in all"; NULL: it was not. The caller frees it. */
char *ts_pauses_text(const struct ts_session *session);

/* When, on its trace's clock, recording of the process first went on after `clock`; 0: it is not known to have. */
uint64_t ts_pauses_next_end(const struct ts_process *process, uint64_t clock);

#endif
