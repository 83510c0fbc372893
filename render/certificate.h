/* The completeness certificate of a session: everything that `info` says, ready to be written as text or JSON. */
#ifndef TRACESHIM_RENDER_CERTIFICATE_H
#define TRACESHIM_RENDER_CERTIFICATE_H

#include "render/bound_hooks.h"
#include "render/own_cost.h"
#include "render/patched_modules.h"
#include "render/text_list.h"
#include "render/unseen.h"

struct ts_certificate {
    struct ts_session *session;
    struct ts_info_counts counts;
    struct ts_text_list missing; /* empty: complete */
    struct ts_bound_hooks hooks;
    struct ts_patched_modules modules;
    struct ts_unseen_list unseen;
    struct ts_own_cost cost;
    uint64_t threads;
    uint64_t no_end; /* processes that were killed, or still run */
};

/* Replays the session, which must outlive the certificate. */
void ts_certificate_make(struct ts_certificate *certificate, struct ts_session *session);
void ts_certificate_free(struct ts_certificate *certificate);

/* "exited", "killed by signal", ... for programs. */
const char *ts_certificate_end_word(uint32_t end_reason);

#endif
