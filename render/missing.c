#include "render/missing.h"

#include "render/count_text.h"
#include "render/duration_text.h"
#include "render/losses.h"
#include "render/memory.h"
#include "render/session_private.h"

#include <stdlib.h>
#include <string.h>

/* Every reason once, of what rings dropped or of lost events. The caller frees it. */
static char *reasons_of(const struct ts_session *session, int dropped) {
    struct ts_text_list reasons = {0};
    char *all = ts_memory_text("%s", "");
    for (size_t i = 0; i < session->trace_count; i++) {
        struct ts_loss losses[TS_LOSSES_MOST];
        size_t count = ts_losses_of(session, session->traces[i], losses);
        for (size_t k = 0; k < count; k++) {
            size_t known = 0;
            if (losses[k].is_dropped != dropped)
                continue;
            while (known < reasons.count && strcmp(reasons.texts[known], losses[k].reason) != 0)
                known++;
            if (known == reasons.count)
                ts_text_list_add(&reasons, ts_memory_text("%s", losses[k].reason));
        }
    }
    for (size_t i = 0; i < reasons.count; i++) {
        char *longer = ts_memory_text("%s%s%s", all, i ? ", " : "", reasons.texts[i]);
        free(all);
        all = longer;
    }
    ts_text_list_free(&reasons);
    return all;
}

/* ` between 2.10 s and 2.90 s`, or nothing. */
static char *range_text(const struct ts_loss_range *range) {
    if (!range->known)
        return ts_memory_text("%s", "");
    return ts_memory_text(" between %s and %s", ts_duration_text(range->from_ns).text,
                          ts_duration_text(range->to_ns).text);
}

static void add_lost(struct ts_text_list *missing, const struct ts_session *session) {
    uint64_t events = session->totals.lost_events;
    struct ts_loss_range range = ts_losses_range(session, 0);
    char *when = range_text(&range), *reasons = reasons_of(session, 0);
    ts_text_list_add(missing, ts_memory_text("%s event%s lost%s (%s)", ts_count_text(events).text,
                                             ts_count_plural(events), when, reasons));
    free(when);
    free(reasons);
}

static void add_dropped(struct ts_text_list *missing, const struct ts_session *session) {
    uint64_t calls = session->totals.dropped_calls;
    struct ts_loss_range range = ts_losses_range(session, 1);
    char *when = range_text(&range), *reasons = reasons_of(session, 1);
    ts_text_list_add(missing, ts_memory_text("the oldest %s call%s dropped%s (%s)", ts_count_text(calls).text,
                                             ts_count_plural(calls), when, reasons));
    free(when);
    free(reasons);
}

void ts_missing_find(struct ts_text_list *missing, const struct ts_session *session) {
    const struct ts_totals *totals = &session->totals;
    if (totals->lost_events)
        add_lost(missing, session);
    if (totals->dropped_windows)
        add_dropped(missing, session);
    if (totals->misnested)
        ts_text_list_add(missing, ts_memory_text("%s exit%s without a call", ts_count_text(totals->misnested).text,
                                                 ts_count_plural(totals->misnested)));
    if (totals->damaged_windows)
        ts_text_list_add(missing,
                         ts_memory_text("%s damaged part%s left out", ts_count_text(totals->damaged_windows).text,
                                        ts_count_plural(totals->damaged_windows)));
}

/* In words only so many; the others are where `info` lists them. */
#define UNSEEN_MOST 3

void ts_missing_find_told(struct ts_text_list *missing, const struct ts_session *session) {
    size_t cut = 0, unseen = 0;
    for (size_t i = 0; i < session->trace_count; i++) {
        const struct ts_facts *facts = session->traces[i]->facts;
        cut += session->traces[i]->truncated != 0;
        for (size_t k = 0; k < facts->metadata_count; k++)
            if (facts->metadata[k].key == TS_METADATA_UNSEEN && unseen++ < UNSEEN_MOST)
                ts_text_list_add(missing, ts_memory_text("not recorded: %s", facts->metadata[k].value));
    }
    if (unseen > UNSEEN_MOST)
        ts_text_list_add(missing, ts_memory_text("%zu more not recorded", unseen - UNSEEN_MOST));
    if (cut)
        ts_text_list_add(missing, ts_memory_text("%zu trace file%s cut off", cut, cut == 1 ? " is" : "s are"));
    if (session->refused_traces)
        ts_text_list_add(missing, ts_memory_text("%zu trace file%s cannot be read", session->refused_traces,
                                                 ts_count_plural(session->refused_traces)));
    if (!session->trace_count && !session->refused_traces)
        ts_text_list_add(missing, ts_memory_text("there is no trace"));
}
