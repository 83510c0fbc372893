/*
 * A trace of the test's own process: a directory, a trace file in it, and calls in frames that the test makes up.
 *
 *     scene_begin(SCENE_BYTES, TS_FULL_STOP);
 *     scene_call(0x1000, 0);                   // the function at 0x1000 is called and returns, in the outermost frame
 *     struct reading *reading = reading_open(scene_trace());
 *     ...
 *     scene_end();
 *
 * Whatever fails here aborts the test.
 */
#ifndef TRACESHIM_TESTS_SCENE_H
#define TRACESHIM_TESTS_SCENE_H

#include "collector/recorder.h"
#include "collector/trace_format.h"

#include <stdint.h>

#define SCENE_BYTES (UINT64_C(64) << 20)      /* blocks of 1 MiB */
#define SCENE_BYTES_SMALL (UINT64_C(4) << 20) /* blocks of 64 KiB */

/* A new directory and nothing in it. */
void scene_make_directory(void);
/* The same, and in it this process's trace file, ready to record. */
void scene_begin(uint64_t max_bytes, int full_mode);
/* Removes the directory with its files. */
void scene_end(void);

const char *scene_directory(void);
/* Path of the trace file. */
const char *scene_trace(void);
/* A path in the directory; valid until the next call. */
const char *scene_path(const char *name);
void scene_write_file(const char *name, const void *bytes, size_t count);

/* CFA of this thread's frame at `depth`, 0 being the outermost: they lie on its stack, 64 bytes apart. */
uint64_t scene_frame(unsigned depth);

/*
 * The hooks of a function whose frame is at `cfa`. `site` is where it is called from; the hook's own return address is
 * made up from the function, as a compiler would have one of each. `limited` as in ts_recorder_enter.
 */
void scene_enter_at(uint64_t function, uint32_t site, uint64_t cfa, uint64_t clock, int limited, int wide);
void scene_exit_at(uint64_t function, uint64_t cfa, uint64_t clock, int limited);
void scene_enter(uint64_t function, unsigned depth);
void scene_exit(uint64_t function, unsigned depth);
/* The exit hook was jumped to. */
void scene_exit_tail(uint64_t function, unsigned depth);
void scene_call(uint64_t function, unsigned depth);

/* Entries of this thread's shadow stack. */
uint64_t scene_shadow_depth(void);

/* Runs `body` in another thread and waits for its end. */
void scene_in_thread(void *(*body)(void *), void *context);

#endif
