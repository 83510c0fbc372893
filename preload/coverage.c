#include "preload/coverage.h"
#include "collector/counts.h"

/* Each is called at the begin of a basic block, so that the address it returns to names the block. */
#define RETURN_ADDRESS ((uint64_t)__builtin_return_address(0))

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_trace_pc_indir(uintptr_t callee);
void __sanitizer_cov_trace_div4(uint32_t value);
void __sanitizer_cov_trace_div8(uint64_t value);
void __sanitizer_cov_trace_gep(uintptr_t index);

TS_EXPORT void __sanitizer_cov_trace_pc(void) {
    if (ts_counts_on)
        ts_counts_add(RETURN_ADDRESS);
}

TS_EXPORT void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    (void)guard;
    if (ts_counts_on)
        ts_counts_add(RETURN_ADDRESS);
}

/* What else the compilers' options bring along; nothing is recorded of it. */
TS_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    (void)start, (void)stop;
}

TS_EXPORT void __sanitizer_cov_trace_pc_indir(uintptr_t callee) {
    (void)callee;
}

TS_EXPORT void __sanitizer_cov_trace_div4(uint32_t value) {
    (void)value;
}

TS_EXPORT void __sanitizer_cov_trace_div8(uint64_t value) {
    (void)value;
}

TS_EXPORT void __sanitizer_cov_trace_gep(uintptr_t index) {
    (void)index;
}

static uint8_t wants_branches;

void ts_coverage_prepare(int level, const char *compares) {
    wants_branches = level >= 3;
    if (wants_branches && compares && *compares)
        ts_coverage_compares_begin(compares);
}

void ts_coverage_begin(int level) {
    if (level < 2)
        return;
    ts_counts_begin();
    ts_coverage_switches_on = wants_branches;
}

void ts_coverage_pause(int is_paused) {
    ts_counts_pause(is_paused);
    ts_coverage_switches_on = wants_branches && !is_paused;
}

void ts_coverage_add_module(const struct ts_module *module) {
    if (wants_branches)
        ts_coverage_compares_add_module(module);
}

void ts_coverage_forget(const struct ts_elf_object *object) {
    ts_counts_forget(object->low, object->high);
    if (wants_branches)
        ts_coverage_compares_forget(object->low, object->high);
}

/* Hidden, since the exported name may lead to another copy of the library. */
extern void own_receiver(void) __attribute__((alias("__sanitizer_cov_trace_pc"), visibility("hidden")));

void *ts_coverage_receiver(void) {
    return (void *)own_receiver;
}
