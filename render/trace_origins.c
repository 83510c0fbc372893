#include "render/trace_origins.h"

#include "collector/trace_format.h"
#include "render/memory.h"
#include "render/record.h"

static int read_origin(struct ts_origin_facts *origin, const uint32_t *record) {
    switch (TS_HEAD_TYPE(*record)) {
    case TS_RECORD_FORK: {
        const struct ts_record_fork *fork = (const void *)record;
        *origin = (struct ts_origin_facts){
            .thread = fork->thread, .pid = fork->child_pid, .clock = ts_record_u64(fork->clock)};
        return 1;
    }
    case TS_RECORD_SPAWN: {
        const struct ts_record_spawn *spawn = (const void *)record;
        *origin = (struct ts_origin_facts){
            .thread = spawn->thread, .pid = spawn->child_pid, .clock = ts_record_u64(spawn->clock)};
        return 1;
    }
    case TS_RECORD_EXEC: {
        const struct ts_record_exec *exec = (const void *)record;
        *origin = (struct ts_origin_facts){.thread = exec->thread, .clock = ts_record_u64(exec->clock)};
        return 1;
    }
    default:
        return 0;
    }
}

void ts_origins_take(struct ts_origin_facts **origins, size_t *count, size_t *capacity, uint32_t number,
                     const uint32_t *record) {
    struct ts_origin_facts origin;
    if (!read_origin(&origin, record))
        return;
    origin.type = TS_HEAD_TYPE(*record);
    origin.process = number;
    *origins = ts_memory_grow(*origins, capacity, *count + 1, sizeof **origins);
    (*origins)[(*count)++] = origin;
}
