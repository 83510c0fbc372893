#include "render/formats.h"
#include "render/memory.h"
#include "render/perfetto_tracks.h"

void ts_perfetto_open(struct ts_perfetto *perfetto, const struct ts_session *session, FILE *out) {
    *perfetto = (struct ts_perfetto){.session = session, .sequence = 1};
    ts_perfetto_packets_open(&perfetto->packets, out);
    ts_links_make(&perfetto->links, session);
    perfetto->begun = ts_memory_new(perfetto->links.count, sizeof *perfetto->begun);
    ts_perfetto_tell_session(perfetto);
}

int ts_perfetto_close(struct ts_perfetto *perfetto, struct ts_error *error) {
    ts_perfetto_tell_facts(perfetto);
    ts_perfetto_free_sink(perfetto);
    return ts_perfetto_packets_close(&perfetto->packets, error);
}

int ts_format_perfetto(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                       struct ts_error *error) {
    struct ts_perfetto perfetto;
    (void)options;
    ts_perfetto_open(&perfetto, session, out);
    struct ts_sink sink = ts_perfetto_sink(&perfetto);
    ts_replay(session, &sink, NULL);
    return ts_perfetto_close(&perfetto, error);
}
