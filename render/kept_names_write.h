/* Writes what a rendering found out about addresses, for later ones: the file of kept_names.h. */
#ifndef TRACESHIM_RENDER_KEPT_NAMES_WRITE_H
#define TRACESHIM_RENDER_KEPT_NAMES_WRITE_H

#include "render/session.h"

/*
 * Keeps in `directory` what was asked of every module so far and what earlier renderings kept of it. A module that
 * nothing was asked of, or that has no build-id, is left out; where all are, no file is written. 0, or -1 and the
 * error.
 */
int ts_kept_names_write(struct ts_session *session, const char *directory, struct ts_error *error);

#endif
