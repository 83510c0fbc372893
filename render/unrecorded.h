/*
 * Programs that processes of the session executed and that could not be recorded: the loader does not add the recorder
 * to what is statically linked, set-user-id or for another kind of processor. Each is a stream of its parent with one
 * call that tells why. Found by a look at the program's file, where no trace of that process is there.
 */
#ifndef TRACESHIM_RENDER_UNRECORDED_H
#define TRACESHIM_RENDER_UNRECORDED_H

#include "render/replay.h"

/* Adds their streams. After the session's processes are known, once. */
void ts_unrecorded_streams(struct ts_session *session);

/* The replay of one of these streams. */
void ts_unrecorded_replay(struct ts_session *session, struct ts_stream *stream, const struct ts_sink *sink);

#endif
