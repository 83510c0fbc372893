/* What a Perfetto trace says beside its events: clocks, the states of sequences, processes, threads, and the whole. */
#ifndef TRACESHIM_RENDER_PERFETTO_TRACKS_H
#define TRACESHIM_RENDER_PERFETTO_TRACKS_H

#include "render/perfetto_sink.h"

/* `packet` becomes one of the current sequence, with these sequence_flags; the other function writes it. */
void ts_perfetto_begin_packet(struct ts_perfetto *perfetto, uint32_t flags);
void ts_perfetto_end_packet(struct ts_perfetto *perfetto);

/* The current sequence forgets all names; its clock begins at last_ns. */
void ts_perfetto_tell_state(struct ts_perfetto *perfetto);

/* A thread, or a stack that it switches to. */
void ts_perfetto_tell_track(struct ts_perfetto *perfetto, const struct ts_stream *stream, uint64_t track);

/* Of the session: its clocks and processes; what is missing in the file, and who made it. */
void ts_perfetto_tell_session(struct ts_perfetto *perfetto);
void ts_perfetto_tell_facts(struct ts_perfetto *perfetto);

#endif
