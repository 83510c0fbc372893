/* What a session's files lost or dropped: how much, why, and when. */
#ifndef TRACESHIM_RENDER_LOSSES_H
#define TRACESHIM_RENDER_LOSSES_H

#include "render/session.h"

/* Times are in ns since the session began. */
struct ts_loss_range {
    int known;
    uint64_t from_ns;
    uint64_t to_ns;
};

struct ts_loss {
    const struct ts_trace *trace;
    int is_dropped;         /* calls that a ring dropped, else lost events */
    const char *reason;     /* for people */
    uint64_t count;         /* lost events, or dropped calls */
    uint64_t dropped_bytes; /* of their records */
    uint64_t dropped_windows;
    struct ts_loss_range range; /* of all that the file lost, or dropped */
};

/* Fills `losses` with those of one file; returns how many. */
#define TS_LOSSES_MOST 9
size_t ts_losses_of(const struct ts_session *session, const struct ts_trace *trace,
                    struct ts_loss losses[TS_LOSSES_MOST]);

/* From the first to the last loss of all files. `dropped`: of what rings dropped, else of lost events. */
struct ts_loss_range ts_losses_range(const struct ts_session *session, int dropped);

#endif
