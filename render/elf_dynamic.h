/* The part of render/elf_file.h that libelf reads; for render/elf_file.c. */
#ifndef TRACESHIM_RENDER_ELF_DYNAMIC_H
#define TRACESHIM_RENDER_ELF_DYNAMIC_H

#include "render/elf_file.h"

/*
 * Fills in what the segments tell; imports and functions in the order of their tables, with repetitions. is_executable:
 * its type is ET_EXEC. Returns 0, or -1 when libelf does not take the file.
 */
int ts_elf_dynamic_read(struct ts_elf_file *file, uint16_t machine, bool is_executable, uint64_t file_bytes);
void ts_elf_dynamic_close(struct ts_elf_file *file);

#endif
