/* Whether libtraceshim.so would understand a value of one of its options, before it is handed one. */
#ifndef TRACESHIM_RENDER_CHECK_OPTION_H
#define TRACESHIM_RENDER_CHECK_OPTION_H

#include <stdbool.h>

/* `variable`: TRACE_DEPTH, ... */
bool ts_check_option(const char *variable, const char *value);

#endif
