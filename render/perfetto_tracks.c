#include "render/perfetto_tracks.h"

#include "render/memory.h"
#include "render/perfetto_fields.h"
#include "render/session_facts.h"
#include "render/trace_file.h"

#include <stdlib.h>

void ts_perfetto_begin_packet(struct ts_perfetto *perfetto, uint32_t flags) {
    ts_protobuf_clear(&perfetto->packet);
    ts_protobuf_number(&perfetto->packet, TS_PACKET_SEQUENCE, perfetto->sequence);
    if (flags)
        ts_protobuf_number(&perfetto->packet, TS_PACKET_SEQUENCE_FLAGS, flags);
}

void ts_perfetto_end_packet(struct ts_perfetto *perfetto) {
    ts_perfetto_packets_add(&perfetto->packets, &perfetto->packet);
}

static void put_clock(struct ts_protobuf *packet, uint32_t clock, uint64_t ns) {
    size_t begin = ts_protobuf_begin(packet, TS_SNAPSHOT_CLOCK);
    ts_protobuf_number(packet, TS_CLOCK_ID, clock);
    ts_protobuf_number(packet, TS_CLOCK_TIMESTAMP, ns);
    if (clock == TS_CLOCK_ID_OF_SEQUENCE)
        ts_protobuf_number(packet, TS_CLOCK_IS_INCREMENTAL, 1);
    ts_protobuf_end(packet, begin);
}

void ts_perfetto_tell_state(struct ts_perfetto *perfetto) {
    struct ts_protobuf *packet = &perfetto->packet;
    ts_perfetto_begin_packet(perfetto, TS_SEQUENCE_STATE_CLEARED);
    size_t snapshot = ts_protobuf_begin(packet, TS_PACKET_CLOCK_SNAPSHOT);
    put_clock(packet, TS_CLOCK_ID_MONOTONIC, perfetto->last_ns);
    put_clock(packet, TS_CLOCK_ID_OF_SEQUENCE, perfetto->last_ns);
    ts_protobuf_end(packet, snapshot);
    size_t defaults = ts_protobuf_begin(packet, TS_PACKET_DEFAULTS);
    size_t event = ts_protobuf_begin(packet, TS_DEFAULTS_TRACK_EVENT);
    ts_protobuf_number(packet, TS_DEFAULTS_TRACK_UUID, perfetto->sequence_track);
    ts_protobuf_end(packet, event);
    ts_protobuf_number(packet, TS_DEFAULTS_TIMESTAMP_CLOCK, TS_CLOCK_ID_OF_SEQUENCE);
    ts_protobuf_end(packet, defaults);
    ts_perfetto_end_packet(perfetto);
}

/* 0: none, a process that is not the session's. */
static uint64_t track_of(const struct ts_perfetto *perfetto, const struct ts_process *process) {
    for (size_t i = 0; i < perfetto->session->process_count; i++)
        if (perfetto->session->processes[i] == process)
            return i + 1;
    return 0;
}

void ts_perfetto_tell_track(struct ts_perfetto *perfetto, const struct ts_stream *stream, uint64_t track) {
    struct ts_protobuf *packet = &perfetto->packet;
    const struct ts_process *process = stream->process;
    const char *name = *stream->name ? stream->name : *process->name ? process->name : "?";
    if (process != perfetto->told_process) {
        perfetto->told_process = process;
        perfetto->told_track = track_of(perfetto, process);
    }
    ts_perfetto_begin_packet(perfetto, 0);
    size_t descriptor = ts_protobuf_begin(packet, TS_PACKET_TRACK_DESCRIPTOR);
    ts_protobuf_number(packet, TS_TRACK_UUID, track);
    ts_protobuf_number(packet, TS_TRACK_RANK, track);
    if (track == perfetto->sequence_track) {
        ts_protobuf_number(packet, TS_TRACK_PARENT, perfetto->told_track);
        size_t thread = ts_protobuf_begin(packet, TS_TRACK_THREAD);
        ts_protobuf_number(packet, TS_TRACK_THREAD_PID, process->pid);
        ts_protobuf_number(packet, TS_TRACK_THREAD_TID, stream->tid);
        ts_protobuf_text(packet, TS_TRACK_THREAD_NAME, name);
        ts_protobuf_end(packet, thread);
    } else {
        char *text = ts_memory_text("%s, track %u", name, (unsigned)stream->track);
        ts_protobuf_number(packet, TS_TRACK_PARENT, perfetto->sequence_track);
        ts_protobuf_text(packet, TS_TRACK_NAME, text);
        free(text);
    }
    ts_protobuf_end(packet, descriptor);
    ts_perfetto_end_packet(perfetto);
}

static void tell_process(struct ts_perfetto *perfetto, const struct ts_process *process, uint64_t track) {
    struct ts_protobuf *packet = &perfetto->packet;
    ts_perfetto_begin_packet(perfetto, 0);
    size_t descriptor = ts_protobuf_begin(packet, TS_PACKET_TRACK_DESCRIPTOR);
    ts_protobuf_number(packet, TS_TRACK_UUID, track);
    ts_protobuf_number(packet, TS_TRACK_RANK, track);
    size_t inside = ts_protobuf_begin(packet, TS_TRACK_PROCESS);
    ts_protobuf_number(packet, TS_TRACK_PROCESS_PID, process->pid);
    if (*process->command)
        ts_protobuf_text(packet, TS_TRACK_PROCESS_COMMAND, process->command);
    ts_protobuf_text(packet, TS_TRACK_PROCESS_NAME, *process->name ? process->name : "?");
    ts_protobuf_number(packet, TS_TRACK_PROCESS_START, process->start_ns);
    ts_protobuf_end(packet, inside);
    ts_protobuf_end(packet, descriptor);
    ts_perfetto_end_packet(perfetto);
}

/* Perfetto drops what is on CLOCK_MONOTONIC unless a snapshot leads to CLOCK_BOOTTIME, or names it the trace's own. */
static void tell_clocks(struct ts_perfetto *perfetto, const struct ts_process *first) {
    struct ts_protobuf *packet = &perfetto->packet;
    uint64_t suspended = first->trace ? first->trace->header.suspended_ns : 0;
    ts_perfetto_begin_packet(perfetto, TS_SEQUENCE_STATE_CLEARED);
    size_t snapshot = ts_protobuf_begin(packet, TS_PACKET_CLOCK_SNAPSHOT);
    put_clock(packet, TS_CLOCK_ID_MONOTONIC, first->start_ns);
    put_clock(packet, TS_CLOCK_ID_BOOTTIME, first->start_ns + suspended);
    put_clock(packet, TS_CLOCK_ID_REALTIME, first->start_ns + (uint64_t)first->realtime_offset_ns);
    ts_protobuf_number(packet, TS_SNAPSHOT_PRIMARY, TS_CLOCK_ID_MONOTONIC);
    ts_protobuf_end(packet, snapshot);
    ts_perfetto_end_packet(perfetto);
}

/* Without it viewers put processes and threads in an order of their own. */
static void tell_order(struct ts_perfetto *perfetto) {
    enum { EXPLICIT = 1 };
    struct ts_protobuf *packet = &perfetto->packet;
    ts_perfetto_begin_packet(perfetto, 0);
    size_t descriptor = ts_protobuf_begin(packet, TS_PACKET_TRACK_DESCRIPTOR);
    ts_protobuf_number(packet, TS_TRACK_UUID, 0);
    ts_protobuf_number(packet, TS_TRACK_PROCESSES_BY_RANK, EXPLICIT);
    ts_protobuf_number(packet, TS_TRACK_THREADS_BY_RANK, EXPLICIT);
    ts_protobuf_end(packet, descriptor);
    ts_perfetto_end_packet(perfetto);
}

void ts_perfetto_tell_session(struct ts_perfetto *perfetto) {
    const struct ts_session *session = perfetto->session;
    if (session->process_count == 0)
        return;
    tell_clocks(perfetto, session->processes[0]);
    tell_order(perfetto);
    for (size_t i = 0; i < session->process_count; i++)
        tell_process(perfetto, session->processes[i], ++perfetto->track_count);
}

static void put_fact(void *context, const struct ts_attribute *fact) {
    struct ts_perfetto *perfetto = context;
    ts_perfetto_notes_add(&perfetto->facts, &perfetto->texts, 0, fact);
}

/* A mark on a track of its own, at the session's end. */
void ts_perfetto_tell_facts(struct ts_perfetto *perfetto) {
    const struct ts_session *session = perfetto->session;
    struct ts_protobuf *packet = &perfetto->packet, *event = &perfetto->event, *interned = &perfetto->interned;
    uint64_t track = ++perfetto->track_count, last_ns = 0;
    if (session->process_count == 0)
        return;
    for (size_t i = 0; i < session->process_count; i++)
        if (session->processes[i]->end_ns > last_ns)
            last_ns = session->processes[i]->end_ns;
    ts_perfetto_begin_packet(perfetto, 0);
    size_t descriptor = ts_protobuf_begin(packet, TS_PACKET_TRACK_DESCRIPTOR);
    ts_protobuf_number(packet, TS_TRACK_UUID, track);
    ts_protobuf_text(packet, TS_TRACK_NAME, "traceshim");
    ts_protobuf_end(packet, descriptor);
    ts_perfetto_end_packet(perfetto);

    const struct ts_written written = {.calls = perfetto->calls - perfetto->inherited,
                                       .inherited = perfetto->inherited,
                                       .dropped_deep_calls = perfetto->dropped_deep_calls,
                                       .outer_unknown = perfetto->outer_unknown};
    ts_session_facts_tell(session, &written, put_fact, perfetto);
    ts_protobuf_clear(event);
    ts_protobuf_clear(interned);
    ts_protobuf_number(event, TS_EVENT_TYPE, TS_EVENT_TYPE_INSTANT);
    ts_protobuf_number(event, TS_EVENT_TRACK_UUID, track);
    ts_protobuf_text(event, TS_EVENT_NAME, "traceshim");
    perfetto->state++; /* texts must be told again: this is a sequence of its own */
    ts_perfetto_notes_take(&perfetto->facts, &perfetto->texts, 0, perfetto->state, event, interned);
    perfetto->sequence++;
    ts_perfetto_begin_packet(perfetto, TS_SEQUENCE_STATE_CLEARED);
    ts_protobuf_number(packet, TS_PACKET_TIMESTAMP, last_ns);
    ts_protobuf_number(packet, TS_PACKET_TIMESTAMP_CLOCK, TS_CLOCK_ID_MONOTONIC);
    ts_protobuf_bytes(packet, TS_PACKET_INTERNED_DATA, interned->bytes, interned->used);
    ts_protobuf_bytes(packet, TS_PACKET_TRACK_EVENT, event->bytes, event->used);
    ts_perfetto_end_packet(perfetto);
}
