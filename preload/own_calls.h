/*
 * The shim calls libc's functions by name, and the loader gives it the first definition of a name that it finds: that
 * of the program or of another library where they have a function `uname` or `on_exit` of their own, whatever it does.
 */
#ifndef TRACESHIM_PRELOAD_OWN_CALLS_H
#define TRACESHIM_PRELOAD_OWN_CALLS_H

#include "preload/elf_object.h"

/*
 * From now on what the shim calls is libc's. `shim` and `libc`: read by ts_elf_object_read_linked, with `high` of libc
 * behind its code. Calls nothing by name; makes no system call unless there is something to change.
 */
void ts_own_calls_bind(const struct ts_elf_object *shim, const struct ts_elf_object *libc);

#endif
