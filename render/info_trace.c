#include "render/info_trace.h"

#include "render/duration_text.h"
#include "render/losses.h"
#include "render/session_private.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_range(const struct ts_loss_range *range, FILE *out) {
    if (range->known)
        fprintf(out, ", from %s to %s after the start", ts_duration_text(range->from_ns).text,
                ts_duration_text(range->to_ns).text);
}

static void write_clock(const struct ts_trace *trace, FILE *out) {
    static const char *const kinds[] = {
        [TS_CLOCK_TSC] = "tsc", [TS_CLOCK_CNTVCT] = "cntvct", [TS_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC"};
    static const char *const sources[] = {
        [TS_CLOCK_RATE_PAIRS] = "measured",
        [TS_CLOCK_RATE_STATED] = "as stated by the machine",
        [TS_CLOCK_RATE_SHORT] = "measured over",
        [TS_CLOCK_RATE_GUESS] = "not known: durations are ticks",
    };
    const struct ts_clock_fit *clock = &trace->clock;
    fprintf(out, "clock: %s", kinds[trace->header.clock_kind]);
    if (clock->source != TS_CLOCK_RATE_EXACT)
        fprintf(out, ", %.6f GHz (%s%s%s)", (double)clock->hz / 1e9, sources[clock->source], clock->short_ns ? " " : "",
                clock->short_ns ? ts_duration_text(clock->short_ns).text : "");
    fprintf(out, ", %zu pairs, worst residual %" PRIu64 " ns", clock->point_count, clock->worst_residual_ns);
    if (clock->outliers)
        fprintf(out, ", %zu pairs off by more than 100 µs left aside", clock->outliers);
    putc('\n', out);
    if (trace->clock_steps_back)
        fprintf(out, "clock steps back: %" PRIu64 " (durations across them are not to be trusted)\n",
                trace->clock_steps_back);
}

static void write_losses(const struct ts_session *session, const struct ts_trace *trace, FILE *out) {
    struct ts_loss losses[TS_LOSSES_MOST];
    size_t count = ts_losses_of(session, trace, losses);
    for (size_t i = 0; i < count; i++) {
        if (losses[i].is_dropped)
            fprintf(out, "dropped because %s: %" PRIu64 " calls, %" PRIu64 " bytes", losses[i].reason, losses[i].count,
                    losses[i].dropped_bytes);
        else
            fprintf(out, "lost because %s: %" PRIu64 " events", losses[i].reason, losses[i].count);
        write_range(&losses[i].range, out);
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

static void write_metadata(const struct ts_metadata *metadata, const struct ts_process_facts *process, FILE *out) {
    const char *text = metadata_text(metadata->key);
    switch (metadata->key) {
    case TS_METADATA_COMMAND_LINE:
        return; /* it is in the line of its process */
    case TS_METADATA_START_COST_NS:
        fprintf(out, "own cost of starting, waits included: %s\n",
                ts_duration_text(strtoull(metadata->value, NULL, 10)).text);
        return;
    case TS_METADATA_START_CPU_NS:
    case TS_METADATA_UNSEEN:
        return; /* told with the cost, and among what cannot be seen */
    case TS_METADATA_EVENT_COST_NS:
        fprintf(out, "own cost of one event: %.1f ns\n", (double)strtoull(metadata->value, NULL, 10) / 1000);
        return;
    case TS_METADATA_HOOK_COST_NS:
        fprintf(out, "own cost of one hooked call: %.1f ns\n", (double)strtoull(metadata->value, NULL, 10) / 1000);
        return;
    case TS_METADATA_CPU_TIME_NS:
        fputs("CPU time", out);
        if (process && process->number > 1)
            fprintf(out, " of process %" PRIu32, process->pid);
        fprintf(out, ": %s\n", ts_duration_text(strtoull(metadata->value, NULL, 10)).text);
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
        write_metadata(&trace->facts->metadata[i], ts_facts_process(trace->facts, trace->facts->metadata[i].process),
                       out);
}
