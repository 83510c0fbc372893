/*
 * libunwind asks the kernel whether a word of a foreign frame can be read: it writes it into a pipe. It makes that pipe
 * once and keeps it, and it neither sees that the program has closed it nor that the program's own file has its number
 * since. Here it is given another answer to the same calls, without a descriptor.
 */
#ifndef TRACESHIM_PRELOAD_STACK_MEMORY_H
#define TRACESHIM_PRELOAD_STACK_MEMORY_H

#include <stdint.h>

/* The object in whose code `inside` lies, before its first use. 0, or -1: its calls cannot be led here. */
int ts_stack_memory_lead(uint64_t inside);

#endif
