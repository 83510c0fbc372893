/* What an output file says about itself and its session, besides the calls: for formats that have a place for it. */
#ifndef TRACESHIM_RENDER_SESSION_FACTS_H
#define TRACESHIM_RENDER_SESSION_FACTS_H

#include "render/attribute.h"
#include "render/session.h"
#include "render/trace_facts.h"

/* What became of the session's calls in one file. */
struct ts_written {
    uint64_t calls;              /* in the file */
    uint64_t inherited;          /* in the file besides: in a forked child, calls that its parent made */
    uint64_t dropped_deep_calls; /* left out: too many calls are open around them */
    uint64_t dropped_short;      /* left out: shorter than the others */
    uint64_t longest_dropped_ns; /* of those */
    uint64_t outer_unknown;
};

/* After a replay, which counts: every fact, in a fixed order. Its value lives until `tell` returns. */
void ts_session_facts_tell(const struct ts_session *session, const struct ts_written *written,
                           void (*tell)(void *context, const struct ts_attribute *fact), void *context);

/* What the process recorded of itself under this key. NULL: nothing. */
const struct ts_metadata *ts_session_facts_metadata(const struct ts_process *process, enum ts_metadata_key key);

#endif
