#include "render/trace_pauses.h"

#include "collector/trace_format.h"
#include "render/memory.h"
#include "render/record.h"

#include <stdlib.h>

void ts_pauses_take(struct ts_pause_facts **pauses, size_t *count, size_t *capacity, uint32_t number,
                    const uint32_t *record) {
    uint32_t type = TS_HEAD_TYPE(*record);
    if (type != TS_RECORD_PAUSE && type != TS_RECORD_RESUME)
        return;
    const struct ts_record_pause *pause = (const void *)record;
    *pauses = ts_memory_grow(*pauses, capacity, *count + 1, sizeof **pauses);
    (*pauses)[(*count)++] = (struct ts_pause_facts){number, type == TS_RECORD_RESUME, ts_record_u64(pause->clock)};
}

static int compare(const void *left, const void *right) {
    const struct ts_pause_facts *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->clock > b->clock) - (a->clock < b->clock);
}

void ts_pauses_order(struct ts_pause_facts *pauses, size_t *count) {
    size_t kept = 0;
    if (*count)
        qsort(pauses, *count, sizeof *pauses, compare);
    for (size_t i = 0; i < *count; i++)
        if (!kept || pauses[kept - 1].process != pauses[i].process || pauses[kept - 1].ends != pauses[i].ends)
            pauses[kept++] = pauses[i];
    *count = kept;
}
