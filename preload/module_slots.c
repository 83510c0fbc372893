#include "preload/module_slots.h"
#include "collector/control.h"
#include "collector/trace_format.h"

static void add(const struct ts_module *module) {
    struct ts_record_slots record = {.generation = module->generation,
                                     .patched = module->slots_patched,
                                     .left = module->slots_left,
                                     .refused = module->slots_refused};
    if (record.patched || record.left || record.refused)
        ts_control_add(TS_RECORD_SLOTS, &record, sizeof record, NULL, 0, NULL, 0);
}

void ts_module_slots_record(const struct ts_module *module) {
    struct ts_signal_mask mask;
    ts_control_begin(&mask);
    add(module);
    ts_control_end(&mask);
}

void ts_module_slots_add_all(void) {
    const struct ts_module *module;
    for (uint32_t i = 0; (module = ts_module_known(i)); i++)
        if (module->mapped)
            add(module);
}
