#include "render/own_cost.h"

#include "render/session_private.h"

#include <stdlib.h>

/* A number that the process itself told, not an ancestor; 0: none. */
static uint64_t own_number(const struct ts_process *process, enum ts_metadata_key key) {
    const struct ts_process_facts *facts = ts_process_facts_of(process);
    const struct ts_metadata *metadata = ts_facts_metadata(process->trace->facts, facts, key);
    return metadata && metadata->process == facts->number ? strtoull(metadata->value, NULL, 10) : 0;
}

static uint64_t number_of_file(const struct ts_trace *trace, enum ts_metadata_key key) {
    const struct ts_metadata *metadata = ts_facts_metadata(trace->facts, &trace->facts->processes[0], key);
    return metadata ? strtoull(metadata->value, NULL, 10) : 0;
}

/* For files that do not tell: only the session's first process measures. 0: none did. */
static uint64_t number_of_session(const struct ts_session *session, enum ts_metadata_key key) {
    uint64_t number = 0;
    for (size_t i = 0; i < session->trace_count && !number; i++)
        number = number_of_file(session->traces[i], key);
    return number;
}

static uint64_t times(uint64_t count, uint64_t picoseconds) {
    unsigned __int128 ns = (unsigned __int128)count * picoseconds / 1000;
    return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/* Events that were made and are not in the file: nobody says by which process, so they count as the first one's. */
static uint64_t events_missing(const struct ts_trace *trace) {
    uint64_t events = 2 * trace->header.dropped_calls;
    for (size_t reason = 0; reason < TS_LOST_SLOTS; reason++)
        events += trace->header.lost_events[reason];
    return events;
}

void ts_own_cost_find(struct ts_own_cost *cost, const struct ts_session *session, const struct ts_info_counts *counts) {
    uint64_t session_event = number_of_session(session, TS_METADATA_EVENT_COST_NS);
    uint64_t session_hook = number_of_session(session, TS_METADATA_HOOK_COST_NS);
    *cost = (struct ts_own_cost){0};
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        uint64_t cpu_ns = own_number(process, TS_METADATA_CPU_TIME_NS);
        uint64_t event = number_of_file(process->trace, TS_METADATA_EVENT_COST_NS);
        uint64_t hook = number_of_file(process->trace, TS_METADATA_HOOK_COST_NS);
        uint64_t start_ns = own_number(process, TS_METADATA_START_CPU_NS);
        uint64_t events = 2 * counts->processes[i].instrumented;
        if (process->number == 1)
            events += events_missing(process->trace);
        event = event ? event : session_event;
        hook = hook ? hook : session_hook ? session_hook : 2 * event; /* not measured */
        if (!cpu_ns || !event)
            continue;
        cost->processes++;
        cost->cpu_ns += cpu_ns;
        cost->start_ns += start_ns;
        cost->events += events;
        cost->hooked_calls += counts->processes[i].hooked;
        cost->event_picoseconds = event > cost->event_picoseconds ? event : cost->event_picoseconds;
        cost->hook_picoseconds = hook > cost->hook_picoseconds ? hook : cost->hook_picoseconds;
        cost->added_ns += start_ns + times(events, event) + times(counts->processes[i].hooked, hook);
    }
}

uint64_t ts_own_cost_run_ns(const struct ts_session *session) {
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        first = process->start_ns < first ? process->start_ns : first;
        last = process->end_ns > last ? process->end_ns : last;
    }
    return last > first ? last - first : 0;
}
