/* Relocations by which the loader fills a pointer to a function of another object. */
#ifndef TRACESHIM_PRELOAD_RELOCATIONS_H
#define TRACESHIM_PRELOAD_RELOCATIONS_H

#include <elf.h>

#define TS_RELOCATION_IS_POINTER(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)

#endif
