/* The directory that a run writes to: made, joined, or set aside. In the constructor, single-threaded; others may
 * prepare the same directory at the same time. */
#ifndef TRACESHIM_PRELOAD_OUTPUT_DIRECTORY_H
#define TRACESHIM_PRELOAD_OUTPUT_DIRECTORY_H

#include "collector/text.h"

#include <stdint.h>

enum ts_output_outcome {
    TS_OUTPUT_MADE,   /* it was absent or empty, or a finished run was set aside: a session begins here */
    TS_OUTPUT_SHARED, /* another program's session runs there: two that know nothing of each other */
    TS_OUTPUT_JOINED, /* a session of the same job is there already */
    TS_OUTPUT_FAILED, /* `reason` says why */
};

/*
 * Prepares `path` (absolute; a symbolic link is followed: `path` is then where it leads). `is_pattern`: the name was
 * made from a pattern, so that one that is taken gets -2, -3, ... (`path` is changed); else a finished run there is
 * moved to <path>.old, and `note` says so. A directory with anything that is not ours is refused. `trace_id` tells runs
 * of the same job apart from others.
 */
enum ts_output_outcome ts_output_directory_prepare(struct ts_text *path, int is_pattern, const uint8_t *trace_id,
                                                   struct ts_text *reason, struct ts_text *note);

/* What a directory is to a run that wants to write there. */
enum ts_output_state {
    TS_OUTPUT_EMPTY,
    TS_OUTPUT_SAME_JOB, /* a session of the same job is there, running or not */
    TS_OUTPUT_RUNNING,  /* another session runs there */
    TS_OUTPUT_FINISHED, /* it holds a run that has ended */
    TS_OUTPUT_REFUSED,  /* `reason` says why it cannot be used */
};

/* Looks at the directory `path`, which is there; changes nothing. */
enum ts_output_state ts_output_directory_look(const char *path, const uint8_t *trace_id, struct ts_text *reason);

/* Says why a directory, or a file in it, cannot be made. `error` is -errno. */
void ts_output_directory_say(struct ts_text *reason, int64_t error);

/* Takes back a directory that was made in vain. */
void ts_output_directory_remove(const char *path);

#endif
