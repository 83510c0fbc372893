#include "render/perfetto_sink.h"

#include "render/memory.h"
#include "render/perfetto_fields.h"
#include "render/perfetto_tracks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the file after which a sequence's state is told again. */
#define STATE_BYTES ((uint64_t)1 << 20)

struct ts_perfetto_stream {
    struct ts_perfetto_stream *next;
    struct ts_perfetto_stream *previous;
    uint64_t track;
    uint64_t depth;            /* open calls */
    uint64_t fast_until_ns;    /* events before it are nothing but the begin or end of a call on the default track */
    int is_default;            /* its track is the sequence's */
    const struct ts_link *out; /* the next of those that begin here */
    size_t out_count;
    const struct ts_link *in; /* ends in its first call; NULL: none, or it has */
    struct ts_perfetto_notes notes;
};

static void set_fast(struct ts_perfetto_stream *stream) {
    stream->fast_until_ns = !stream->is_default || stream->in ? 0
                            : stream->out_count               ? stream->out->from_ns
                                                              : UINT64_MAX;
}

/* All but the difference of time. */
static void make_piece(struct ts_perfetto *perfetto, struct ts_deflate_piece *piece, const struct ts_protobuf *event) {
    struct ts_protobuf *packet = &perfetto->packet;
    ts_perfetto_begin_packet(perfetto, TS_SEQUENCE_NEEDS_STATE);
    ts_protobuf_bytes(packet, TS_PACKET_TRACK_EVENT, event->bytes, event->used);
    size_t inside = packet->used + 3; /* tag and two bytes */
    size_t count = packet->used + 3;  /* tag, length, this, tag */
    piece->count = 0;
    if (inside >= 0x80 || count < TS_DEFLATE_LENGTH_LEAST || count > TS_DEFLATE_LENGTH_MOST)
        return;
    piece->bytes[0] = TS_TRACE_PACKET << 3 | 2;
    piece->bytes[1] = (uint8_t)inside;
    memcpy(piece->bytes + 2, packet->bytes, packet->used);
    piece->bytes[count - 1] = TS_PACKET_TIMESTAMP << 3;
    piece->count = (uint8_t)count;
    ts_deflate_prepare(&perfetto->packets.deflate, piece);
}

static void add_begin_fields(struct ts_protobuf *event, const struct ts_function *function, uint32_t category) {
    ts_protobuf_number(event, TS_EVENT_NAME_IID, (uint64_t)function->id + 1);
    ts_protobuf_number(event, TS_EVENT_CATEGORY_IID, category);
    if (function->file)
        ts_protobuf_number(event, TS_EVENT_SOURCE_IID, (uint64_t)function->id + 1);
}

static void define_text(struct ts_protobuf *interned, uint32_t field, uint64_t number, const char *text) {
    size_t begin = ts_protobuf_begin(interned, field);
    ts_protobuf_number(interned, TS_INTERNED_IID, number);
    ts_protobuf_text(interned, TS_INTERNED_NAME, text);
    ts_protobuf_end(interned, begin);
}

static void define_source(struct ts_protobuf *interned, struct ts_function *function) {
    size_t begin = ts_protobuf_begin(interned, TS_INTERNED_SOURCE);
    ts_protobuf_number(interned, TS_INTERNED_IID, (uint64_t)function->id + 1);
    ts_protobuf_text(interned, TS_SOURCE_FILE, function->file);
    ts_protobuf_text(interned, TS_SOURCE_FUNCTION, ts_function_name(function));
    ts_protobuf_number(interned, TS_SOURCE_LINE, function->line);
    ts_protobuf_end(interned, begin);
}

/* Tells the current state the function's names and makes its piece. */
static void define_function(struct ts_perfetto *perfetto, struct ts_perfetto_function *known,
                            struct ts_function *function) {
    struct ts_protobuf *interned = &perfetto->interned, *event = &perfetto->event;
    const char *name = ts_function_name(function);
    known->state = perfetto->state;
    known->label = ts_function_label(function);
    known->category = ts_perfetto_strings_number(&perfetto->categories, ts_function_scope(function));
    ts_function_source(function);

    ts_protobuf_clear(interned);
    define_text(interned, TS_INTERNED_EVENT_NAME, (uint64_t)function->id + 1, *name ? name : "?");
    ts_perfetto_strings_define(&perfetto->categories, known->category, perfetto->state, TS_INTERNED_CATEGORY, interned);
    if (function->file)
        define_source(interned, function);
    ts_perfetto_begin_packet(perfetto, TS_SEQUENCE_NEEDS_STATE);
    ts_protobuf_bytes(&perfetto->packet, TS_PACKET_INTERNED_DATA, interned->bytes, interned->used);
    ts_perfetto_end_packet(perfetto);

    ts_protobuf_clear(event);
    ts_protobuf_number(event, TS_EVENT_TYPE, TS_EVENT_TYPE_BEGIN);
    add_begin_fields(event, function, known->category);
    make_piece(perfetto, &known->piece, event);
    known->short_state = known->piece.count && !known->label ? perfetto->state : 0;
}

static struct ts_perfetto_function *function_at(struct ts_perfetto *perfetto, size_t index) {
    size_t need = index + 1;
    if (perfetto->function_count < need) {
        perfetto->functions =
            ts_memory_grow(perfetto->functions, &perfetto->function_capacity, need, sizeof *perfetto->functions);
        memset(perfetto->functions + perfetto->function_count, 0,
               (need - perfetto->function_count) * sizeof *perfetto->functions);
        perfetto->function_count = need;
    }
    return &perfetto->functions[index];
}

static struct ts_perfetto_function *know_function(struct ts_perfetto *perfetto, struct ts_function *function) {
    struct ts_perfetto_function *known = function_at(perfetto, (size_t)function->id + 1);
    if (known->state != perfetto->state)
        define_function(perfetto, known, function);
    return known;
}

static void begin_state(struct ts_perfetto *perfetto) {
    struct ts_protobuf *event = &perfetto->event;
    perfetto->state++;
    perfetto->state_written = perfetto->packets.written;
    ts_perfetto_tell_state(perfetto);
    ts_protobuf_clear(event);
    ts_protobuf_number(event, TS_EVENT_TYPE, TS_EVENT_TYPE_END);
    struct ts_perfetto_function *end = function_at(perfetto, 0);
    make_piece(perfetto, &end->piece, event);
    end->short_state = end->piece.count ? perfetto->state : 0;
}

static void renew_state(struct ts_perfetto *perfetto) {
    if (perfetto->packets.written - perfetto->state_written >= STATE_BYTES)
        begin_state(perfetto);
}

/* `event` and `interned` as a packet. Time never goes back on the clock of differences: else it is told as it is. */
static void write_event(struct ts_perfetto *perfetto, uint64_t ns) {
    struct ts_protobuf *packet = &perfetto->packet;
    ts_perfetto_begin_packet(perfetto, TS_SEQUENCE_NEEDS_STATE);
    if (ns >= perfetto->last_ns) {
        ts_protobuf_number(packet, TS_PACKET_TIMESTAMP, ns - perfetto->last_ns);
        perfetto->last_ns = ns;
    } else {
        ts_protobuf_number(packet, TS_PACKET_TIMESTAMP, ns);
        ts_protobuf_number(packet, TS_PACKET_TIMESTAMP_CLOCK, TS_CLOCK_ID_MONOTONIC);
    }
    if (perfetto->interned.used)
        ts_protobuf_bytes(packet, TS_PACKET_INTERNED_DATA, perfetto->interned.bytes, perfetto->interned.used);
    ts_protobuf_bytes(packet, TS_PACKET_TRACK_EVENT, perfetto->event.bytes, perfetto->event.used);
    ts_perfetto_end_packet(perfetto);
}

/* The state must not be renewed between what defines its names and this. */
static struct ts_protobuf *begin_event(struct ts_perfetto *perfetto, unsigned type) {
    ts_protobuf_clear(&perfetto->interned);
    ts_protobuf_clear(&perfetto->event);
    ts_protobuf_number(&perfetto->event, TS_EVENT_TYPE, type);
    if (!perfetto->current->is_default)
        ts_protobuf_number(&perfetto->event, TS_EVENT_TRACK_UUID, perfetto->current->track);
    return &perfetto->event;
}

static uint64_t link_number(const struct ts_perfetto *perfetto, const struct ts_link *link) {
    return (uint64_t)(link - perfetto->links.links) + 1;
}

/* What the thread did up to `ns` that something comes from: an instant with an arrow to it. */
static void write_links(struct ts_perfetto *perfetto, uint64_t ns) {
    struct ts_perfetto_stream *stream = perfetto->current;
    for (; stream->out_count && stream->out->from_ns <= ns; stream->out++, stream->out_count--) {
        renew_state(perfetto);
        struct ts_protobuf *event = begin_event(perfetto, TS_EVENT_TYPE_INSTANT);
        ts_protobuf_text(event, TS_EVENT_NAME, stream->out->what);
        ts_protobuf_fixed64(event, TS_EVENT_FLOW, link_number(perfetto, stream->out));
        perfetto->begun[stream->out - perfetto->links.links] = true;
        write_event(perfetto, stream->out->from_ns);
    }
    set_fast(stream);
}

static void write_begin(struct ts_perfetto *perfetto, struct ts_function *function, uint64_t ns) {
    struct ts_perfetto_stream *stream = perfetto->current;
    write_links(perfetto, ns);
    renew_state(perfetto);
    struct ts_perfetto_function *known = know_function(perfetto, function);
    struct ts_protobuf *event = begin_event(perfetto, TS_EVENT_TYPE_BEGIN);
    add_begin_fields(event, function, known->category);
    /* What a thread without calls did is not written. */
    if (stream->in && perfetto->begun[stream->in - perfetto->links.links])
        ts_protobuf_fixed64(event, TS_EVENT_FLOW_END, link_number(perfetto, stream->in));
    stream->in = NULL;
    set_fast(stream);
    write_event(perfetto, ns);
}

static void write_end(struct ts_perfetto *perfetto, uint64_t depth, uint64_t ns) {
    struct ts_perfetto_stream *stream = perfetto->current;
    write_links(perfetto, ns);
    renew_state(perfetto);
    begin_event(perfetto, TS_EVENT_TYPE_END);
    ts_perfetto_notes_take(&stream->notes, &perfetto->texts, depth, perfetto->state, &perfetto->event,
                           &perfetto->interned);
    write_event(perfetto, ns);
}

static void add_truth(struct ts_perfetto *perfetto, uint64_t depth, const char *key) {
    ts_perfetto_notes_add(&perfetto->current->notes, &perfetto->texts, depth,
                          &(struct ts_attribute){key, {.kind = TS_VALUE_BOOLEAN, .boolean = true}});
}

/*
 * Whether an event, of which nothing is noted, is a piece and a difference of time, which stands in two bytes, always,
 * so that a packet's length does not depend on it.
 */
static inline bool is_short(const struct ts_perfetto *perfetto, const struct ts_perfetto_stream *stream, uint64_t ns) {
    return ns - perfetto->last_ns < TS_DEFLATE_NUMBERS && ns < stream->fast_until_ns;
}

static void end_part(struct ts_perfetto *perfetto) {
    ts_perfetto_packets_flush(&perfetto->packets);
    renew_state(perfetto);
}

static void add_short(struct ts_perfetto *perfetto, struct ts_deflate_piece *piece, uint64_t ns) {
    uint32_t difference = (uint32_t)(ns - perfetto->last_ns);
    perfetto->last_ns = ns;
    ts_deflate_add_piece(&perfetto->packets.deflate, piece, difference);
    if (ts_perfetto_packets_full(&perfetto->packets))
        end_part(perfetto);
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_perfetto *perfetto = context;
    struct ts_perfetto_stream *stream = perfetto->current;
    if (!stream)
        return;
    if (stream->depth++ >= TS_PERFETTO_DEPTH) {
        perfetto->dropped_deep_calls++;
        return;
    }
    renew_state(perfetto);
    struct ts_perfetto_function *known = know_function(perfetto, function);
    if (known->label)
        ts_perfetto_notes_add(&stream->notes, &perfetto->texts, stream->depth,
                              &(struct ts_attribute){"label", {.kind = TS_VALUE_STRING, .string = known->label}});
    if (flags & TS_ENTER_INHERITED) {
        perfetto->inherited++;
        add_truth(perfetto, stream->depth, "inherited");
    }
    if (known->piece.count && is_short(perfetto, stream, start_ns))
        add_short(perfetto, &known->piece, start_ns);
    else
        write_begin(perfetto, function, start_ns);
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_perfetto *perfetto = context;
    struct ts_perfetto_stream *stream = perfetto->current;
    if (!stream || stream->depth == 0 || stream->depth-- > TS_PERFETTO_DEPTH)
        return;
    uint64_t depth = stream->depth + 1;
    perfetto->calls++;
    if (how != TS_LEAVE_EXIT)
        add_truth(perfetto, depth, how == TS_LEAVE_UNWOUND ? "unwound" : "unfinished");
    if (!ts_perfetto_notes_has(&stream->notes, depth) && is_short(perfetto, stream, end_ns))
        add_short(perfetto, &perfetto->functions[0].piece, end_ns);
    else
        write_end(perfetto, depth, end_ns);
}

/* So many of the events neither exceed the depth, nor end a call of which something is noted, nor come to a link. */
static size_t count_plain(const struct ts_perfetto_stream *stream, const struct ts_call_event *events, size_t count) {
    const struct ts_perfetto_notes *notes = &stream->notes;
    if (stream->depth >= TS_PERFETTO_DEPTH || events->ns >= stream->fast_until_ns)
        return 0;
    if (count > TS_PERFETTO_DEPTH - stream->depth)
        count = TS_PERFETTO_DEPTH - stream->depth;
    if (notes->count && count > stream->depth - notes->notes[notes->count - 1].depth)
        count = stream->depth - notes->notes[notes->count - 1].depth;
    while (count && events[count - 1].ns >= stream->fast_until_ns)
        count--;
    return count;
}

/*
 * Adds the events that are short, up to the first one that is not, or that fills the part. Returns how many. Most of
 * the time of a whole export passes here: about 75 instructions for an event, none of which depends on whether a call
 * begins or ends.
 */
static size_t add_short_events(struct ts_perfetto *perfetto, const struct ts_call_event *events, size_t count) {
    struct ts_deflate *deflate = &perfetto->packets.deflate;
    struct ts_deflate_tail tail = deflate->tail;
    struct ts_perfetto_function *functions = perfetto->functions;
    const uint64_t full = deflate->begin + TS_PERFETTO_PART_BYTES;
    uint64_t last_ns = perfetto->last_ns, ends = 0;
    const struct ts_call_event *event = events;
    while (event < events + count && tail.position < full) {
        static_assert(TS_CALL_ENDS + 1 == 0, "the index of how a call ends");
        uint32_t index = event->function + 1;
        uint64_t difference = event->ns - last_ns;
        if (index >= perfetto->function_count || functions[index].short_state != perfetto->state ||
            difference >= TS_DEFLATE_NUMBERS)
            break;
        struct ts_deflate_piece *piece = &functions[index].piece;
        if (__builtin_expect(ts_deflate_is_near(&tail, piece), 1)) {
            ts_deflate_add_near(&tail, &deflate->code, piece, (uint32_t)difference);
        } else {
            deflate->tail = tail;
            ts_deflate_add_piece(deflate, piece, (uint32_t)difference);
            tail = deflate->tail;
        }
        last_ns = event->ns;
        ends += index == 0;
        event++;
    }
    deflate->tail = tail;
    count = (size_t)(event - events);
    perfetto->last_ns = last_ns;
    perfetto->calls += ends;
    perfetto->current->depth += count - 2 * ends;
    if (ts_perfetto_packets_full(&perfetto->packets))
        end_part(perfetto);
    return count;
}

static void add_events(void *context, const struct ts_call_event *events, size_t count) {
    struct ts_perfetto *perfetto = context;
    while (count) {
        size_t plain = perfetto->current ? count_plain(perfetto->current, events, count) : 0;
        size_t done = plain ? add_short_events(perfetto, events, plain) : 0;
        events += done;
        count -= done;
        if (done || !count)
            continue;
        if (events->function == TS_CALL_ENDS)
            leave_call(perfetto, events->ns, TS_LEAVE_EXIT);
        else
            enter_call(perfetto, ts_functions_at(perfetto->session->functions, events->function), events->ns, 0);
        events++;
        count--;
    }
}

/* Whether the innermost open call of the selected stream is one that is written. */
static int is_written(const struct ts_perfetto_stream *stream) {
    return stream && stream->depth > 0 && stream->depth <= TS_PERFETTO_DEPTH;
}

static void add_attribute(void *context, const struct ts_attribute *attribute) {
    struct ts_perfetto *perfetto = context;
    if (is_written(perfetto->current))
        ts_perfetto_notes_add(&perfetto->current->notes, &perfetto->texts, perfetto->current->depth, attribute);
}

static void note_failure(void *context, const struct ts_failure *failure) {
    struct ts_perfetto *perfetto = context;
    if (is_written(perfetto->current))
        ts_perfetto_notes_add_failure(&perfetto->current->notes, &perfetto->texts, perfetto->current->depth, failure);
}

static void write_moment(void *context, const struct ts_moment *moment) {
    struct ts_perfetto *perfetto = context;
    struct ts_perfetto_stream *stream = perfetto->current;
    const uint64_t own = UINT64_MAX; /* a depth that no call has */
    if (!stream)
        return;
    write_links(perfetto, moment->ns);
    renew_state(perfetto);
    struct ts_perfetto_function *known = know_function(perfetto, moment->function);
    for (size_t i = 0; i < moment->attribute_count; i++)
        ts_perfetto_notes_add(&stream->notes, &perfetto->texts, own, &moment->attributes[i]);
    struct ts_protobuf *event = begin_event(perfetto, TS_EVENT_TYPE_INSTANT);
    add_begin_fields(event, moment->function, known->category);
    ts_perfetto_notes_take(&stream->notes, &perfetto->texts, own, perfetto->state, event, &perfetto->interned);
    write_event(perfetto, moment->ns);
}

static struct ts_perfetto_stream *add_stream(struct ts_perfetto *perfetto, const struct ts_stream *stream) {
    struct ts_perfetto_stream *made = ts_memory_new(1, sizeof *made);
    bool is_first =
        stream->process != perfetto->process || stream->thread != perfetto->thread || !perfetto->sequence_track;
    made->track = ++perfetto->track_count;
    made->is_default = is_first;
    if (is_first) {
        perfetto->process = stream->process;
        perfetto->thread = stream->thread;
        perfetto->sequence_track = made->track;
        perfetto->sequence++;
        perfetto->last_ns = stream->start_ns;
        begin_state(perfetto);
        made->in = ts_links_to(&perfetto->links, stream);
        made->out = ts_links_from(&perfetto->links, stream, &made->out_count);
    }
    ts_perfetto_tell_track(perfetto, stream, made->track);
    set_fast(made);
    made->next = perfetto->streams;
    if (made->next)
        made->next->previous = made;
    perfetto->streams = made;
    return made;
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_perfetto *perfetto = context;
    if (!stream->user)
        stream->user = add_stream(perfetto, stream);
    perfetto->current = stream->user;
}

static void count_outer_unknown(void *context, uint64_t count) {
    struct ts_perfetto *perfetto = context;
    perfetto->outer_unknown += count;
}

static void free_stream(struct ts_perfetto *perfetto, struct ts_perfetto_stream *stream) {
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        perfetto->streams = stream->next;
    if (perfetto->current == stream)
        perfetto->current = NULL;
    ts_perfetto_notes_free(&stream->notes);
    free(stream);
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_perfetto *perfetto = context;
    struct ts_perfetto_stream *finished = stream->user;
    if (!finished)
        return;
    if (finished == perfetto->current)
        write_links(perfetto, UINT64_MAX);
    free_stream(perfetto, finished);
    stream->user = NULL;
}

struct ts_sink ts_perfetto_sink(struct ts_perfetto *perfetto) {
    return (struct ts_sink){.context = perfetto,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_call,
                            .calls = add_events,
                            .outer_unknown = count_outer_unknown,
                            .finish = finish_stream,
                            .attribute = add_attribute,
                            .moment = write_moment,
                            .failure = note_failure};
}

void ts_perfetto_free_sink(struct ts_perfetto *perfetto) {
    while (perfetto->streams)
        free_stream(perfetto, perfetto->streams);
    free(perfetto->functions);
    ts_perfetto_notes_free(&perfetto->facts);
    ts_perfetto_strings_free(&perfetto->texts.names);
    ts_perfetto_strings_free(&perfetto->texts.values);
    ts_perfetto_strings_free(&perfetto->categories);
    ts_protobuf_free(&perfetto->packet);
    ts_protobuf_free(&perfetto->interned);
    ts_protobuf_free(&perfetto->event);
    ts_links_free(&perfetto->links);
    free(perfetto->begun);
}
