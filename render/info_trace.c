#include "render/info_trace.h"

#include "render/duration_text.h"
#include "render/session_private.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const lost_texts[TS_LOST_SLOTS] = {
#define X(name, text) [TS_LOST_##name] = text,
    TS_LOST_REASONS(X)
#undef X
};

static const char *lost_text(size_t reason) {
    return lost_texts[reason] ? lost_texts[reason] : "for a reason that this version does not know";
}

void ts_info_write_lost_reasons(const struct ts_session *session, FILE *out) {
    const char *separator = "";
    for (size_t reason = 0; reason < TS_LOST_SLOTS; reason++) {
        int seen = 0;
        for (size_t i = 0; i < session->trace_count; i++)
            seen |= session->traces[i]->header.lost_events[reason] != 0;
        if (!seen)
            continue;
        fprintf(out, "%s%s", separator, lost_text(reason));
        separator = ", ";
    }
}

/* A moment as time since the session began. */
static struct ts_duration_text moment(const struct ts_session *session, const struct ts_trace *trace, uint64_t clock) {
    uint64_t begin = session->process_count ? session->processes[0]->start_ns : 0;
    uint64_t ns = ts_clock_fit_ns(&trace->clock, clock);
    return ts_duration_text(ns > begin ? ns - begin : 0);
}

static void write_range(const struct ts_session *session, const struct ts_trace *trace, uint64_t first, uint64_t last,
                        FILE *out) {
    if (!first && !last)
        return;
    struct ts_duration_text from = moment(session, trace, first);
    struct ts_duration_text to = moment(session, trace, last);
    fprintf(out, ", from %s to %s after the start", from.text, to.text);
}

static void write_clock(const struct ts_trace *trace, FILE *out) {
    static const char *const kinds[] = {
        [TS_CLOCK_TSC] = "tsc", [TS_CLOCK_CNTVCT] = "cntvct", [TS_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC"};
    static const char *const sources[] = {
        [TS_CLOCK_RATE_PAIRS] = "measured",
        [TS_CLOCK_RATE_STATED] = "as stated by the machine",
        [TS_CLOCK_RATE_NOW] = "measured now on the same machine",
        [TS_CLOCK_RATE_SHORT] = "measured over less than 10 ms: durations may be off by percents",
        [TS_CLOCK_RATE_GUESS] = "not known: durations are ticks",
    };
    const struct ts_clock_fit *clock = &trace->clock;
    fprintf(out, "clock: %s", kinds[trace->header.clock_kind]);
    if (clock->source != TS_CLOCK_RATE_EXACT)
        fprintf(out, ", %.6f GHz (%s)", (double)clock->hz / 1e9, sources[clock->source]);
    fprintf(out, ", %zu pairs, worst residual %" PRIu64 " ns", clock->point_count, clock->worst_residual_ns);
    if (clock->outliers)
        fprintf(out, ", %zu pairs off by more than 100 µs left aside", clock->outliers);
    putc('\n', out);
}

static void write_losses(const struct ts_session *session, const struct ts_trace *trace, FILE *out) {
    const struct ts_file_header *header = &trace->header;
    for (size_t reason = 0; reason < TS_LOST_SLOTS; reason++) {
        if (!header->lost_events[reason])
            continue;
        fprintf(out, "lost because %s: %" PRIu64 " events", lost_text(reason), header->lost_events[reason]);
        write_range(session, trace, header->lost_first_clock, header->lost_last_clock, out);
        putc('\n', out);
    }
    if (header->dropped_windows) {
        fprintf(out, "dropped because TRACE_MAX_SIZE was reached: %" PRIu64 " calls, %" PRIu64 " bytes",
                header->dropped_calls, header->dropped_bytes);
        write_range(session, trace, header->dropped_first_clock, header->dropped_last_clock, out);
        putc('\n', out);
    }
}

static const char *metadata_text(uint32_t key) {
    switch (key) {
#define X(name, number, text)                                                                                          \
    case number:                                                                                                       \
        return text;
        TS_METADATA(X)
#undef X
    default:
        return NULL;
    }
}

static void write_metadata(const struct ts_metadata *metadata, FILE *out) {
    const char *text = metadata_text(metadata->key);
    switch (metadata->key) {
    case TS_METADATA_COMMAND_LINE:
        return; /* it is in the line of its process */
    case TS_METADATA_START_COST_NS:
        fprintf(out, "own cost of starting: %s\n", ts_duration_text(strtoull(metadata->value, NULL, 10)).text);
        return;
    case TS_METADATA_CPU_TIME_NS:
    case TS_METADATA_HOOK_COST_NS:
    case TS_METADATA_UNSEEN:
        return; /* in groups of their own */
    case TS_METADATA_EVENT_COST_NS:
        fprintf(out, "own cost of one event: %.1f ns\n", (double)strtoull(metadata->value, NULL, 10) / 1000);
        return;
    default:
        if (!text)
            return;
        fprintf(out, "%s: ", text);
        ts_text_write_name(out, metadata->value);
        putc('\n', out);
    }
}

void ts_info_write_trace(const struct ts_session *session, const struct ts_trace *trace, FILE *out) {
    fputs("trace: ", out);
    ts_text_write_name(out, trace->path);
    fprintf(out, ", version %u.%u, %" PRIu64 " bytes used of %" PRIu64 "\n", trace->header.version_major,
            trace->header.version_minor, trace->data_bytes, trace->header.file_bytes);
    write_clock(trace, out);
    write_losses(session, trace, out);
    for (size_t i = 0; i < trace->facts->metadata_count; i++)
        write_metadata(&trace->facts->metadata[i], out);
}
