/* Every header and record of a session as text, one a line, undigested: for people who debug a trace or the recorder.
 */
#ifndef TRACESHIM_RENDER_DUMP_H
#define TRACESHIM_RENDER_DUMP_H

#include "render/session.h"

#include <stdio.h>

int ts_dump_write(struct ts_session *session, FILE *out, struct ts_error *error);

#endif
