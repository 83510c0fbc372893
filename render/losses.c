#include "render/losses.h"

#include "render/session_private.h"

#include <assert.h>

static_assert(TS_LOSSES_MOST == TS_LOST_SLOTS + 1, "a loss for each reason, and what was dropped");

static const char *const lost_texts[TS_LOST_SLOTS] = {
#define X(name, text) [TS_LOST_##name] = text,
    TS_LOST_REASONS(X)
#undef X
};

static uint64_t since_start(const struct ts_session *session, const struct ts_trace *trace, uint64_t clock) {
    uint64_t begin = session->process_count ? session->processes[0]->start_ns : 0;
    uint64_t ns = ts_clock_fit_ns(&trace->clock, clock);
    return ns > begin ? ns - begin : 0;
}

static struct ts_loss_range range_of(const struct ts_session *session, const struct ts_trace *trace, uint64_t first,
                                     uint64_t last) {
    if (!first && !last)
        return (struct ts_loss_range){.known = 0};
    return (struct ts_loss_range){1, since_start(session, trace, first), since_start(session, trace, last)};
}

/* A ring takes the oldest block where it gets no new one: of the file, for the place, or mapped. */
static const char *dropped_reason(const struct ts_file_header *header) {
    if (header->next_block < header->usable_blocks)
        return lost_texts[TS_LOST_MEMORY];
    return header->usable_blocks && header->usable_blocks < header->block_count ? lost_texts[TS_LOST_PLACE]
                                                                                : "TRACE_MAX_SIZE was reached";
}

size_t ts_losses_of(const struct ts_session *session, const struct ts_trace *trace,
                    struct ts_loss losses[TS_LOSSES_MOST]) {
    const struct ts_file_header *header = &trace->header;
    size_t count = 0;
    for (size_t reason = 0; reason < TS_LOST_SLOTS; reason++)
        if (header->lost_events[reason])
            losses[count++] = (struct ts_loss){
                .trace = trace,
                .reason = lost_texts[reason] ? lost_texts[reason] : "for a reason that this version does not know",
                .count = header->lost_events[reason],
                .range = range_of(session, trace, header->lost_first_clock, header->lost_last_clock)};
    if (header->dropped_windows)
        losses[count++] = (struct ts_loss){
            .trace = trace,
            .is_dropped = 1,
            .reason = dropped_reason(header),
            .count = header->dropped_calls,
            .dropped_bytes = header->dropped_bytes,
            .dropped_windows = header->dropped_windows,
            .range = range_of(session, trace, header->dropped_first_clock, header->dropped_last_clock)};
    return count;
}

struct ts_loss_range ts_losses_range(const struct ts_session *session, int dropped) {
    struct ts_loss_range all = {.known = 0};
    for (size_t i = 0; i < session->trace_count; i++) {
        struct ts_loss losses[TS_LOSSES_MOST];
        size_t count = ts_losses_of(session, session->traces[i], losses);
        for (size_t k = 0; k < count; k++) {
            const struct ts_loss_range *range = &losses[k].range;
            if (!range->known || losses[k].is_dropped != dropped)
                continue;
            if (!all.known || range->from_ns < all.from_ns)
                all.from_ns = range->from_ns;
            if (!all.known || range->to_ns > all.to_ns)
                all.to_ns = range->to_ns;
            all.known = 1;
        }
    }
    return all;
}
