/* The completeness certificate for programs. */
#ifndef TRACESHIM_RENDER_INFO_JSON_H
#define TRACESHIM_RENDER_INFO_JSON_H

#include "render/session.h"

#include <stdio.h>

/*
 * Replays the session and writes one JSON object: everything that ts_info_write says, and the names of all bound
 * functions. Times are nanoseconds, those of losses since the session began; what is not known is left out.
 */
int ts_info_write_json(struct ts_session *session, FILE *out, struct ts_error *error);

#endif
