/* The processes and streams of a session, made from what its traces say. */
#ifndef TRACESHIM_RENDER_SESSION_PROCESSES_H
#define TRACESHIM_RENDER_SESSION_PROCESSES_H

#include "render/session.h"

/* Fills processes and streams, in the documented order. Once, after the traces were opened. */
void ts_session_make_processes(struct ts_session *session);

void ts_session_process_free(struct ts_process *process);

#endif
