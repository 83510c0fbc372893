/* The session: one run of a program and of what it executes, in one output directory, rendered when its first process
 * ends. */
#ifndef TRACESHIM_PRELOAD_SESSION_H
#define TRACESHIM_PRELOAD_SESSION_H

#include "collector/preamble.h"
#include "preload/options.h"

/*
 * The variable by which executed programs find their session: "<pid of its first process>:<directory>"; with
 * TS_SESSION_PAUSED in place of the colon they begin paused.
 */
#define TS_SESSION_VARIABLE "TRACESHIM_SESSION"
#define TS_SESSION_ON ':'
#define TS_SESSION_PAUSED ';'
/* Where that sign stands in the variable's value. */
const char *ts_session_sign(const char *value);
/* How a program with this environment begins: as its session says, else as TRACE_START (`wanted`). */
int ts_session_begins_paused(char *const *environment, int wanted);

/*
 * Joins the session that the environment names, or makes one: its directory and this process's trace file. 0, or -1
 * after telling why; then nothing is recorded.
 */
int ts_session_begin(const struct ts_options *options, char *const *environment, const char *executable,
                     const struct ts_preamble *preamble, const uint8_t *trace_id, const uint8_t *parent_span_id);

/* Absolute; "" when there is no session. */
const char *ts_session_directory(void);
/* The process whose end ends the session. */
int ts_session_first_pid(void);

#endif
