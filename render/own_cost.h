/* What tracing cost the program: as the recorder measured it, where its process came to its end. */
#ifndef TRACESHIM_RENDER_OWN_COST_H
#define TRACESHIM_RENDER_OWN_COST_H

#include "render/info_counts.h"

struct ts_own_cost {
    size_t processes;  /* that the numbers are of: those that told their CPU time */
    uint64_t cpu_ns;   /* of them */
    uint64_t added_ns; /* of that, as calculated from: */
    uint64_t start_ns; /* CPU time of starting */
    uint64_t events;   /* of instrumented functions, lost and dropped ones included */
    uint64_t event_picoseconds;
    uint64_t hooked_calls;
    uint64_t hook_picoseconds;
};

void ts_own_cost_find(struct ts_own_cost *cost, const struct ts_session *session, const struct ts_info_counts *counts);

/* From the start of the first process to the end of the last; 0: not known. */
uint64_t ts_own_cost_run_ns(const struct ts_session *session);

#endif
