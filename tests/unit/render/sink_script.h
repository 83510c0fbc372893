/*
 * Scripted calls for the tests of outputs: a session without files, whose events are played into any ts_sink as a
 * replay would deliver them.
 *
 *     struct sink_script *script = sink_script_new();
 *     sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 50), 100, "");
 *     sink_script_enter(script, "main", "demo", 10);
 *     sink_script_leave(script, 40);
 *     sink_script_play(script, &sink);
 *     sink_script_free(script);
 *
 * Names and scopes must outlive the script. Everything in a session may be changed through the pointers.
 */
#ifndef TRACESHIM_TESTS_SINK_SCRIPT_H
#define TRACESHIM_TESTS_SINK_SCRIPT_H

#include "render/replay.h"

struct sink_script;

struct sink_script *sink_script_new(void);
void sink_script_free(struct sink_script *script);

/* Processes and streams made so far; valid until the next one is made. */
struct ts_session *sink_script_session(struct sink_script *script);

struct ts_process *sink_script_process(struct sink_script *script, uint32_t pid, const char *name, uint64_t start_ns,
                                       uint64_t end_ns);
/* Lasts as long as its process; the following calls are its. */
struct ts_stream *sink_script_stream(struct sink_script *script, struct ts_process *process, uint32_t tid,
                                     const char *name);
void sink_script_select(struct sink_script *script, struct ts_stream *stream);

/* A new function, even where there is one of this name and scope. `scope` NULL: its module is not known. */
struct ts_function *sink_script_function(struct sink_script *script, const char *name, const char *scope);

void sink_script_enter(struct sink_script *script, const char *name, const char *scope, uint64_t start_ns);
void sink_script_enter_as(struct sink_script *script, struct ts_function *function, uint64_t start_ns, unsigned flags);
void sink_script_leave(struct sink_script *script, uint64_t end_ns);
void sink_script_leave_as(struct sink_script *script, uint64_t end_ns, enum ts_leave_how how);
/* A call with nothing in it. */
void sink_script_call(struct sink_script *script, const char *name, const char *scope, uint64_t start_ns,
                      uint64_t end_ns);
void sink_script_outer_unknown(struct sink_script *script, uint64_t count);

/* Everything, from the begin, then finish for every stream. Can be repeated with other sinks. */
void sink_script_play(struct sink_script *script, const struct ts_sink *sink);
/* What was added since the last call of this function; without finish. */
void sink_script_play_new(struct sink_script *script, const struct ts_sink *sink);

#endif
