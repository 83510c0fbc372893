/* The stack of a recorded crash, found again from its registers, its copy of the stack and the modules' .eh_frame. */
#ifndef TRACESHIM_RENDER_CRASH_UNWIND_H
#define TRACESHIM_RENDER_CRASH_UNWIND_H

#include "render/crash.h"

/*
 * Puts the code addresses of the frames into `addresses`, the innermost first, and returns how many: that of the crash
 * itself, then of each call an address inside its instruction. Modules whose files are gone or rebuilt end the walk.
 */
size_t ts_crash_unwind(const struct ts_crash *crash, uint16_t machine, const struct ts_module_map *modules,
                       uint64_t *addresses, size_t most);

#endif
