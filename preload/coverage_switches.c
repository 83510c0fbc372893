/* Which cases of a switch are taken: -fsanitize-coverage=trace-cmp. */
#include "collector/counts.h"
#include "preload/coverage.h"
#include "preload/export.h"

uint8_t ts_coverage_switches_on;

/* `cases` is the compiler's table: their number, the bits of the value, the cases' values. */
void __sanitizer_cov_trace_switch(uint64_t value, const uint64_t *cases);

static struct ts_record_branch_counts *make(uint64_t address, const uint64_t *cases) {
    struct ts_record_branch_counts record = {.address = {(uint32_t)address, (uint32_t)(address >> 32)},
                                             .cases = (uint32_t)cases[0]};
    struct ts_counts_parts parts = {.type = TS_RECORD_BRANCH_COUNTS,
                                    .record = &record,
                                    .record_bytes = sizeof record,
                                    .values = cases + 2,
                                    .value_bytes = record.cases * 8,
                                    .zeros = (record.cases + 1) * 8};
    /* More than a window holds: refused with the others that find no room. */
    if (cases[0] > TS_HEAD_MAX_WORDS)
        parts.zeros = UINT32_MAX;
    return ts_counts_make(address | TS_COUNTS_PLACE, &parts);
}

TS_EXPORT void __sanitizer_cov_trace_switch(uint64_t value, const uint64_t *cases) {
    if (!ts_coverage_switches_on)
        return;
    uint64_t address = (uint64_t)__builtin_return_address(0), at = 0;
    struct ts_record_branch_counts *record = ts_counts_find(address | TS_COUNTS_PLACE);
    if (!record)
        record = make(address, cases);
    if (!record)
        return;
    while (at < record->cases && cases[2 + at] != value)
        at++;
    volatile uint64_t *counters = (volatile uint64_t *)(record + 1) + record->cases;
    ts_cpu_reserve(&counters[at], 1);
}
