/* What a system call's failure means, for messages to a person. */
#ifndef TRACESHIM_COLLECTOR_ERROR_TEXT_H
#define TRACESHIM_COLLECTOR_ERROR_TEXT_H

#include "collector/text.h"

#include <stdint.h>

/* Adds it in words, and its name: "no space (ENOSPC)"; "errno 77" where none are known. `error`: as the kernel returns
 * it, negative. */
void ts_error_text_add(struct ts_text *text, int64_t error);

#endif
