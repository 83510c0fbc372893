/*
 * The program traceshim as a process that the traced program cannot notice: no signal tells of its end, no wait sees
 * it, and nothing of the program's is open in it.
 */
#ifndef TRACESHIM_PRELOAD_RENDERER_H
#define TRACESHIM_PRELOAD_RENDERER_H

#include <stddef.h>
#include <stdint.h>

/* In the constructor: finds `traceshim` beside the library, in ../bin and ../../bin, or on PATH. */
void ts_renderer_find(const char *library);

/* Its path; "": it was not found. */
const char *ts_renderer_path(void);

enum ts_renderer_end {
    TS_RENDERER_DONE,
    TS_RENDERER_NOT_STARTED, /* no process could be made */
    TS_RENDERER_TOO_SLOW,    /* and was ended */
    TS_RENDERER_FAILED,      /* and has told why, where it may write */
    TS_RENDERER_REFUSED,     /* it does not know what it was asked: another version */
    TS_RENDERER_CANNOT_RUN,  /* it could not be executed, or a signal ended it */
};

/* Some of what it writes to standard output. Runs in a copy of this process that is gone afterwards. */
typedef void ts_renderer_use(void *context, const char *bytes, size_t count);

/*
 * Runs it and waits for its end, `timeout_seconds` at most (0: no limit). `arguments` begins with ts_renderer_path()
 * and ends with NULL. `show`: it has the program's standard error, while that is the one from the start. `use` NULL:
 * its standard output goes nowhere. By a thread that has its signals blocked.
 */
enum ts_renderer_end ts_renderer_run(char *const *arguments, int show, uint64_t timeout_seconds, ts_renderer_use *use,
                                     void *context);

#endif
