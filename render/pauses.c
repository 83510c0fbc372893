#include "render/pauses.h"

#include "render/count_text.h"
#include "render/duration_text.h"
#include "render/memory.h"
#include "render/session_private.h"

#include <stdlib.h>

/* Index of the first that is of the process and not before `clock`, or where it would stand. */
static size_t find(const struct ts_process *process, uint64_t clock) {
    const struct ts_facts *facts = process->trace->facts;
    uint32_t number = ts_process_facts_of(process)->number;
    size_t low = 0, high = facts->pause_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ts_pause_facts *pause = &facts->pauses[middle];
        if (pause->process < number || (pause->process == number && pause->clock < clock))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The one at `at`; NULL: the process has no more. */
static const struct ts_pause_facts *look_at(const struct ts_process *process, size_t at) {
    const struct ts_facts *facts = process->trace->facts;
    return at < facts->pause_count && facts->pauses[at].process == ts_process_facts_of(process)->number
               ? &facts->pauses[at]
               : NULL;
}

static void add(struct ts_pauses *pauses, uint64_t begin_ns, uint64_t end_ns) {
    pauses->count++;
    pauses->ns += end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* A RESUME that comes first ends a pause that a forked child was made in. */
static void add_process(struct ts_pauses *pauses, const struct ts_process *process) {
    const struct ts_pause_facts *pause;
    uint64_t begin_ns = process->start_ns, count = pauses->count;
    size_t at = find(process, 0);
    int is_paused = (pause = look_at(process, at)) && pause->ends;
    for (; (pause = look_at(process, at)); at++) {
        uint64_t ns = ts_clock_fit_ns(&process->trace->clock, pause->clock);
        if (pause->ends && is_paused)
            add(pauses, begin_ns, ns);
        else if (!pause->ends && !is_paused)
            begin_ns = ns;
        is_paused = !pause->ends;
    }
    if (is_paused)
        add(pauses, begin_ns, process->end_ns);
    pauses->processes += pauses->count > count;
}

struct ts_pauses ts_pauses_find(const struct ts_session *session) {
    struct ts_pauses pauses = {0};
    for (size_t i = 0; i < session->process_count; i++)
        add_process(&pauses, session->processes[i]);
    return pauses;
}

char *ts_pauses_text(const struct ts_session *session) {
    struct ts_pauses pauses = ts_pauses_find(session);
    if (!pauses.count)
        return NULL;
    char *processes = pauses.processes > 1 ? ts_memory_text(" of %zu processes", pauses.processes) : NULL;
    char *text = ts_memory_text("recording%s was paused %s time%s, %s in all", processes ? processes : "",
                                ts_count_text(pauses.count).text, ts_count_plural(pauses.count),
                                ts_duration_text(pauses.ns).text);
    free(processes);
    return text;
}

uint64_t ts_pauses_next_end(const struct ts_process *process, uint64_t clock) {
    const struct ts_pause_facts *pause;
    for (size_t at = find(process, clock); (pause = look_at(process, at)); at++)
        if (pause->ends)
            return pause->clock;
    return 0;
}
