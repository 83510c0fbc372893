/* A replay as one line of text, and what every replay must keep whatever the trace holds. */
#ifndef TRACESHIM_TESTS_REPLAY_TEXT_H
#define TRACESHIM_TESTS_REPLAY_TEXT_H

#include "render/replay.h"
#include "tests/unit/render/trace_builder.h"

/*
 * Tokens with a space between them:
 *   [2/0]           the stream of thread 2, track 0, is selected       [2/0]$ it is finished
 *   0x400@1100      a call of the function at 0x400 of its object begins at 1100 ns; `i` behind it: inherited, `d`: its
 *                   ENTER was dropped; `*0x400` where the address lies in no module
 *   )@1200          the innermost call ends; `u` behind it: unwound, `?`: unfinished
 *   !ENOENT         the innermost call has failed: an error's name, or a code
 *   path='/x'       an attribute of the innermost call
 *   outer=5         so many outer calls are unknown
 * Fails the test when times of a stream do not strictly increase, a call is left that was not entered, or a stream is
 * finished with calls open. The caller frees the text.
 */
char *replay_text(struct ts_session *session);

/* The same without making a text. Returns the number of events. */
uint64_t replay_checked(struct ts_session *session);

/* Saves the trace in a fresh directory, opens it, and frees the builder. The test fails when it cannot be opened. */
struct ts_session *replay_open(struct trace_builder *builder);

/* Closes the session and removes its directory. */
void replay_close(struct ts_session *session);

/* replay_open, replay_text and replay_close. */
char *replay_of(struct trace_builder *builder);

/* Whether one of the warnings holds `text`. */
int replay_warns(const struct ts_session *session, const char *text);

#endif
