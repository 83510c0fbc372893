/* How much of each module leads to the recorder, told in the trace. */
#ifndef TRACESHIM_PRELOAD_MODULE_SLOTS_H
#define TRACESHIM_PRELOAD_MODULE_SLOTS_H

#include "preload/module.h"

/* Its SLOTS record, unless it has no such slots. */
void ts_module_slots_record(const struct ts_module *module);

/* Of all that are mapped, at the end of the process; between ts_control_begin and ts_control_end. */
void ts_module_slots_add_all(void);

#endif
