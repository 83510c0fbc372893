#include "render/session_facts.h"

#include <inttypes.h>
#include <stdio.h>

struct telling {
    void (*tell)(void *context, const struct ts_attribute *fact);
    void *context;
};

static void tell_text(const struct telling *telling, const char *key, const char *text) {
    telling->tell(telling->context, &(struct ts_attribute){key, {.kind = TS_VALUE_STRING, .string = text}});
}

static void tell_count(const struct telling *telling, const char *key, uint64_t count) {
    telling->tell(telling->context, &(struct ts_attribute){key, {.kind = TS_VALUE_UNSIGNED, .number = count}});
}

const struct ts_metadata *ts_session_facts_metadata(const struct ts_process *process, enum ts_metadata_key key) {
    const struct ts_facts *facts = process->trace ? process->trace->facts : NULL;
    const struct ts_process_facts *own = facts ? ts_facts_process(facts, process->number) : NULL;
    return own ? ts_facts_metadata(facts, own, key) : NULL;
}

/* Text: viewers make doubles of numbers. */
static void tell_clock(const struct telling *telling, const struct ts_process *first) {
    char offset[24];
    snprintf(offset, sizeof offset, "%" PRId64, first->realtime_offset_ns);
    tell_text(telling, "clock", "CLOCK_MONOTONIC");
    tell_text(telling, "realtime_offset_ns", offset);
}

void ts_session_facts_tell(const struct ts_session *session, const struct ts_written *written,
                           void (*tell)(void *context, const struct ts_attribute *fact), void *context) {
    const struct telling telling = {tell, context};
    const struct ts_totals *totals = &session->totals;
    tell_text(&telling, "tool", "traceshim");
    tell_text(&telling, "version", TRACESHIM_VERSION);
    if (session->process_count > 0) {
        const struct ts_process *first = session->processes[0];
        const struct ts_metadata *host = ts_session_facts_metadata(first, TS_METADATA_HOST);
        tell_text(&telling, "command", first->command);
        if (host)
            tell_text(&telling, "host", host->value);
        tell_clock(&telling, first);
    }
    tell_count(&telling, "processes", session->process_count);
    tell_count(&telling, "calls", written->calls);
    tell_count(&telling, "inherited_calls", written->inherited);
    tell_count(&telling, "dropped_deep_calls", written->dropped_deep_calls);
    tell_count(&telling, "dropped_short_calls", written->dropped_short);
    tell_count(&telling, "dropped_shorter_than_ns", written->dropped_short ? written->longest_dropped_ns + 1 : 0);
    tell_count(&telling, "unknown_outer_calls", written->outer_unknown);
    tell_count(&telling, "unfinished_calls", totals->unfinished);
    tell_count(&telling, "unwound_calls", totals->unwound);
    tell_count(&telling, "dropped_calls", totals->dropped_calls);
    tell_count(&telling, "lost_events", totals->lost_events);
    tell_count(&telling, "damaged_windows", totals->damaged_windows);
}
