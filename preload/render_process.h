/* The renderer, started at the end of the program so that the program cannot notice. */
#ifndef TRACESHIM_PRELOAD_RENDER_PROCESS_H
#define TRACESHIM_PRELOAD_RENDER_PROCESS_H

#include <stdint.h>

/* Renders `directory`, waiting `timeout_seconds` at most (0: no limit); tells on stderr when it could not. */
void ts_render_process_run(const char *directory, uint64_t timeout_seconds, int quiet);

#endif
