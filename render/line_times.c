#include "render/line_times.h"

#include "render/memory.h"
#include "render/sites.h"
#include "render/symbols.h"

#include <stdlib.h>
#include <string.h>

#define NO_LINE UINT32_MAX

struct frame {
    uint64_t start;
    uint32_t line; /* that made the call, or NO_LINE */
};

struct ts_line_times_stream {
    struct frame *frames;
    size_t depth;
    size_t capacity;
    uint32_t *open; /* by line: its calls that are open here */
    size_t open_count;
    size_t open_capacity;
};

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_line_times *times = context;
    if (!stream->user)
        stream->user = ts_memory_new(1, sizeof *times->stream);
    times->stream = stream->user;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_line_times *times = context;
    struct ts_line_times_stream *stream = times->stream;
    (void)function;
    (void)flags;
    stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
    stream->frames[stream->depth++] = (struct frame){start_ns, NO_LINE};
}

static uint32_t find_line(struct ts_line_times *times, const struct ts_site *site) {
    struct ts_source source;
    if (ts_object_line(site->object, site->address, &source) != 0)
        return NO_LINE;
    uint64_t hash = ts_hash_mix_bytes(source.line, source.file, strlen(source.file));
    size_t at = hash;
    for (uint32_t i; ts_hash_index_next(&times->index, hash, &at, &i);)
        if (times->lines[i].line == source.line && !strcmp(times->lines[i].file, source.file))
            return i;
    times->lines = ts_memory_grow(times->lines, &times->capacity, times->count + 1, sizeof *times->lines);
    times->lines[times->count] = (struct ts_line_time){.file = source.file, .line = source.line};
    ts_hash_index_add(&times->index, hash, (uint32_t)times->count);
    return (uint32_t)times->count++;
}

static uint32_t line_of(struct ts_line_times *times, const struct ts_site *site) {
    size_t need = (size_t)site->id + 1;
    if (need > times->site_count) {
        times->of_site = ts_memory_grow(times->of_site, &times->site_capacity, need, sizeof *times->of_site);
        memset(times->of_site + times->site_count, 0, (need - times->site_count) * sizeof *times->of_site);
        times->site_count = need;
    }
    uint32_t *known = &times->of_site[site->id];
    if (!*known) {
        uint32_t line = find_line(times, site);
        *known = line == NO_LINE ? 1 : line + 2;
    }
    return *known == 1 ? NO_LINE : *known - 2;
}

static void place_call(void *context, struct ts_site *site) {
    struct ts_line_times *times = context;
    struct ts_line_times_stream *stream = times->stream;
    uint32_t line = line_of(times, site);
    if (line == NO_LINE || !stream->depth)
        return;
    size_t need = (size_t)line + 1;
    if (need > stream->open_count) {
        stream->open = ts_memory_grow(stream->open, &stream->open_capacity, need, sizeof *stream->open);
        memset(stream->open + stream->open_count, 0, (need - stream->open_count) * sizeof *stream->open);
        stream->open_count = need;
    }
    stream->frames[stream->depth - 1].line = line;
    stream->open[line]++;
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_line_times *times = context;
    struct ts_line_times_stream *stream = times->stream;
    (void)how;
    if (!stream->depth)
        return;
    const struct frame *frame = &stream->frames[--stream->depth];
    if (frame->line == NO_LINE)
        return;
    times->lines[frame->line].calls++;
    if (--stream->open[frame->line] == 0 && end_ns > frame->start)
        times->lines[frame->line].ns += end_ns - frame->start;
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_line_times_stream *own = stream->user;
    (void)context;
    if (!own)
        return;
    free(own->frames);
    free(own->open);
    free(own);
    stream->user = NULL;
}

void ts_line_times_find(struct ts_line_times *times, struct ts_session *session) {
    const struct ts_sink sink = {.context = times,
                                 .select = select_stream,
                                 .enter = enter_call,
                                 .site = place_call,
                                 .leave = leave_call,
                                 .finish = finish_stream};
    ts_replay(session, &sink, NULL);
}

void ts_line_times_free(struct ts_line_times *times) {
    free(times->lines);
    free(times->of_site);
    ts_hash_index_free(&times->index);
    *times = (struct ts_line_times){0};
}
