#include "render/certificate.h"

#include "render/missing.h"
#include "render/session_private.h"

/* Asking for one name of each object tells whether its names can be had. */
static void try_names(const struct ts_session *session) {
    for (uint32_t id = 0; id < ts_functions_count(session->functions); id++) {
        struct ts_function *function = ts_functions_at(session->functions, id);
        if (function->object && !function->object->symbols_tried)
            ts_function_name(function);
    }
}

void ts_certificate_make(struct ts_certificate *certificate, struct ts_session *session) {
    *certificate = (struct ts_certificate){.session = session};
    ts_info_counts_make(&certificate->counts, session);
    try_names(session);
    ts_missing_find(&certificate->missing, session);
    ts_missing_find_told(&certificate->missing, session);
    ts_bound_hooks_find(&certificate->hooks, session, &certificate->counts);
    ts_patched_modules_find(&certificate->modules, session);
    ts_unseen_find(&certificate->unseen, session, &certificate->hooks, &certificate->modules);
    ts_own_cost_find(&certificate->cost, session, &certificate->counts);
    for (size_t i = 0; i < session->process_count; i++) {
        certificate->threads += ts_process_facts_of(session->processes[i])->thread_count;
        certificate->no_end += session->processes[i]->end_reason == TS_END_NOT_SEEN;
    }
}

void ts_certificate_free(struct ts_certificate *certificate) {
    ts_info_counts_free(&certificate->counts);
    ts_text_list_free(&certificate->missing);
    ts_bound_hooks_free(&certificate->hooks);
    ts_patched_modules_free(&certificate->modules);
    ts_unseen_free(&certificate->unseen);
}

const char *ts_certificate_end_word(uint32_t end_reason) {
    static const char *const words[] = {
        [TS_END_NOT_SEEN] = "not_seen",     [TS_END_EXIT] = "exit",   [TS_END_IMMEDIATE] = "_exit",
        [TS_END_QUICK_EXIT] = "quick_exit", [TS_END_ABORT] = "abort", [TS_END_EXEC] = "exec",
        [TS_END_SIGNAL] = "signal"};
    return end_reason < sizeof words / sizeof *words ? words[end_reason] : "unknown";
}
