/*
 * Single calls in an order of their own, without the calls around them: the slowest, or those that ended last. Each is
 * a root line of the tree (tree_text.h) with `start=` (since the trace's start), `in=` (its caller) and, where there
 * are several threads, `pid=` and `tid=`.
 */
#ifndef TRACESHIM_RENDER_TREE_RANKED_H
#define TRACESHIM_RENDER_TREE_RANKED_H

#include "render/session.h"

#include <stdbool.h>
#include <stdio.h>

enum ts_tree_rank {
    TS_TREE_SLOWEST = 1, /* by duration, descending, then by start */
    TS_TREE_LAST,        /* by end, the newest last */
};

/* The first `most` of them (0: all) that the session's filter lets pass. 0, or -1 and the error. */
int ts_tree_write_ranked(struct ts_session *session, enum ts_tree_rank rank, uint64_t most, bool colour, FILE *out,
                         struct ts_error *error);

#endif
