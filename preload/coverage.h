/*
 * The receivers of -fsanitize-coverage: trace-pc and trace-pc-guard (executed code, from level 2 on), trace-cmp
 * (switches and comparisons, at level 3). A program calls them by name, before the constructor and below level 2 too:
 * then they return at once.
 */
#ifndef TRACESHIM_PRELOAD_COVERAGE_H
#define TRACESHIM_PRELOAD_COVERAGE_H

#include "preload/export.h"
#include "preload/module.h"

/* At start, before modules are looked at. `compares`: TRACE_COMPARES, NULL: none; it must stay where it is. */
void ts_coverage_prepare(int level, const char *compares);
/* When the trace is mapped. */
void ts_coverage_begin(int level);
/* Recording is paused, or not any more. Async-signal-safe. */
void ts_coverage_pause(int is_paused);

/* What calls by that name lead to, in this library or another; and the library's own. */
TS_EXPORT void __sanitizer_cov_trace_pc(void);
void *ts_coverage_receiver(void);

/* A module has come, or gone. Under the scan's lock. */
void ts_coverage_add_module(const struct ts_module *module);
void ts_coverage_forget(const struct ts_elf_object *object);

/* coverage_switches.c: set at level 3, unless recording is paused. */
extern uint8_t ts_coverage_switches_on;

/* coverage_compares.c: the functions whose comparisons are recorded. */
void ts_coverage_compares_begin(const char *globs);
void ts_coverage_compares_add_module(const struct ts_module *module);
void ts_coverage_compares_forget(uint64_t low, uint64_t high);

#endif
