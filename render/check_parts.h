/* The parts of render/check.h; for render/check*.c. Each adds its findings. */
#ifndef TRACESHIM_RENDER_CHECK_PARTS_H
#define TRACESHIM_RENDER_CHECK_PARTS_H

#include "render/check.h"
#include "render/load_order.h"

/*
 * What the kernel executes when `program` is started: for a script what runs it, and so on. The path of a file that can
 * be read, which the caller frees; NULL where nothing would be started.
 */
char *ts_check_start(struct ts_check *check, const char *program);

/* The executable file at `path`: whether the library `shim` (NULL: none) is loaded with it, and what it then sees. */
void ts_check_program(struct ts_check *check, const char *path, const char *shim);

/*
 * What of a program and its libraries would be recorded, and with which names. `shim` NULL: none; it counts for none of
 * the libraries.
 */
void ts_check_recorded(struct ts_check *check, const struct ts_load_order *order, const struct ts_elf_file *shim);

/* What else is in the program that a library in front of all others may get in the way of. */
void ts_check_neighbours(struct ts_check *check, const struct ts_load_order *order);

/* Options, clock, and the place of the trace of the program at `path`. */
void ts_check_surroundings(struct ts_check *check, const char *path);

/* struct ts_options is the shim's; kept out of the parts that know the program only. */
struct ts_options;
void ts_check_place(struct ts_check *check, const char *path, const struct ts_options *options);

#endif
