/* OTLP, the protocol of OpenTelemetry, as its file exporter writes it: JSON lines, each a TracesData object. */
#include "render/formats.h"
#include "render/otlp_attributes.h"
#include "render/otlp_sink.h"
#include "render/session_facts.h"

static void add_fact(void *context, const struct ts_attribute *fact) {
    ts_otlp_attribute_add(context, fact);
}

static void add_facts(struct ts_otlp *otlp) {
    const struct ts_written written = {.calls = otlp->calls - otlp->inherited,
                                       .inherited = otlp->inherited,
                                       .dropped_short = otlp->dropped_short,
                                       .longest_dropped_ns = otlp->longest_dropped_ns,
                                       .outer_unknown = otlp->outer_unknown};
    struct ts_json_text facts = {.text = NULL};
    ts_session_facts_tell(otlp->session, &written, add_fact, &facts);
    ts_otlp_end_list(&facts);
    ts_otlp_lines_add_facts(&otlp->lines, otlp->session->processes[0], &facts);
    ts_json_text_free(&facts);
}

int ts_otlp_close(struct ts_otlp *otlp, struct ts_error *error) {
    if (otlp->session->process_count)
        add_facts(otlp);
    ts_otlp_free_sink(otlp);
    return ts_otlp_lines_close(&otlp->lines, error);
}

int ts_format_otlp(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                   struct ts_error *error) {
    struct ts_otlp otlp;
    struct ts_longest longest = {0};

    if (options->max_calls)
        longest = ts_longest_of(session, options->max_calls, UINT64_MAX);
    ts_otlp_open(&otlp, session, out);
    otlp.longest = longest;
    struct ts_sink sink = ts_otlp_sink(&otlp);
    ts_replay(session, &sink, NULL);
    if (options->cut)
        *options->cut = (struct ts_format_cut){.calls = otlp.calls + otlp.dropped_short,
                                               .written = otlp.calls,
                                               .dropped_short = otlp.dropped_short,
                                               .longest_dropped_ns = otlp.longest_dropped_ns};
    return ts_otlp_close(&otlp, error);
}
