/* The slots of a module's instrumentation calls: which are ours to change, and what they are led to. */
#ifndef TRACESHIM_PRELOAD_INSTRUMENT_PATCH_H
#define TRACESHIM_PRELOAD_INSTRUMENT_PATCH_H

#include "preload/module.h"
#include "preload/modules.h"

/* Whether the object calls the instrumentation hooks. */
int ts_instrument_patch_wants(const struct ts_elf_object *object);

/* To be told of every module before any is patched: what libc's empty functions are, which may be replaced. */
void ts_instrument_patch_note_libc(const struct ts_elf_object *object, const char *path);

/*
 * Whether calls by name reach the program's own function (it comes before every library), which never had a slot of
 * ours.
 */
int ts_instrument_patch_program_has_hooks(void);

/* Leads the slots to the hooks for the present clock and limits. Returns whether that must be tried again. */
int ts_instrument_patch_module(struct ts_module *module, struct ts_modules_summary *summary);

#endif
