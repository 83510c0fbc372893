/* Numbers that system calls take, by the names that programs write: `O_RDONLY|O_CLOEXEC`, `SEEK_SET`, `SIGTERM`. */
#ifndef TRACESHIM_RENDER_FLAG_NAMES_H
#define TRACESHIM_RENDER_FLAG_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Enough for every name of the longest list, and a rest. */
#define TS_FLAG_NAMES_BYTES 512

/*
 * Writes `value`, an argument of this kind (enum ts_hook_kind), into `text` of TS_FLAG_NAMES_BYTES. Bits without a name
 * follow in hexadecimal; a number of which nothing has a name is written as it is. `machine`: ELF e_machine of the
 * program, for the few flags whose values differ. Returns 0, or -1 for a kind whose values have no names.
 */
int ts_flag_names(char *text, uint32_t kind, uint32_t value, uint16_t machine);

/* `SIGTERM`, `SIGRTMIN+3`, or the number. */
void ts_flag_signal(char *text, uint32_t signal);

#endif
