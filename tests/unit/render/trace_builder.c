#include "tests/unit/render/trace_builder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_TABLE_ENTRIES 1024u
#define PREAMBLE_OFFSET (sizeof(struct ts_file_header) + BLOCK_TABLE_ENTRIES * sizeof(uint32_t))

/* Open calls of one thread on one track. */
struct lane {
    uint32_t thread;
    uint32_t track;
    struct ts_open_call *calls;
    size_t depth;
    size_t capacity;
    size_t lowest; /* since the thread's previous window began */
};

struct thread_state {
    uint32_t thread;
    uint32_t track;
    uint64_t last_sequence;
};

struct trace_builder {
    uint8_t *data;
    size_t bytes; /* whole blocks */
    uint64_t block_bytes;
    size_t preamble_end;
    size_t window;   /* offset of the newest; 0: none yet */
    size_t position; /* of the next record in it */
    int closed;
    uint64_t epoch; /* clock >> TS_EPOCH_SHIFT last written */
    uint64_t last_clock;
    uint64_t other_words;
    uint64_t unwound;
    uint32_t open_call_limit;
    uint16_t header_bytes;
    uint16_t open_call_bytes;
    struct lane *lanes;
    size_t lane_count;
    struct thread_state *threads;
    size_t thread_count;
};

static void *must(void *pointer) {
    if (!pointer)
        abort();
    return pointer;
}

/* An array of COUNT elements with room for one more; it grows when COUNT is a power of two. */
static void *with_room(void *array, size_t count, size_t element_bytes) {
    if (count & (count - 1))
        return array;
    return must(reallocarray(array, count ? 2 * count : 1, element_bytes));
}

void trace_builder_split(struct ts_u64 *to, uint64_t value) {
    to->low = (uint32_t)value;
    to->high = (uint32_t)(value >> 32);
}

struct trace_builder *trace_builder_new(uint32_t pid) {
    return trace_builder_new_sized(pid, TRACE_BLOCK_BYTES);
}

struct trace_builder *trace_builder_new_sized(uint32_t pid, uint64_t block_bytes) {
    struct trace_builder *builder = must(calloc(1, sizeof(*builder)));
    builder->block_bytes = block_bytes;
    builder->bytes = block_bytes;
    builder->data = must(calloc(1, builder->bytes));
    builder->preamble_end = PREAMBLE_OFFSET;
    builder->open_call_limit = (uint32_t)(block_bytes / 8 / sizeof(struct ts_open_call));
    builder->header_bytes = sizeof(struct ts_window_header);
    builder->open_call_bytes = sizeof(struct ts_open_call);
    *trace_builder_header(builder) = (struct ts_file_header){
        .magic = TS_TRACE_MAGIC,
        .version_major = TS_VERSION_MAJOR,
        .version_minor = TS_VERSION_MINOR,
        .byte_order = TS_BYTE_ORDER,
        .header_bytes = sizeof(struct ts_file_header),
        .page_bytes = 4096,
        .machine = 62,
        .full_mode = TS_FULL_RING,
        .clock_kind = TS_CLOCK_MONOTONIC,
        .file_uuid = "trace_builder",
        .file_bytes = block_bytes,
        .block_bytes = block_bytes,
        .block_count = 1,
        .first_block = 1,
        .preamble_offset = PREAMBLE_OFFSET,
        .block_table_offset = sizeof(struct ts_file_header),
        .tick_hz = UINT64_C(4000000000),
        .pid = pid,
        .image = 1,
        .start = {TRACE_NS(1), 1, UINT64_C(1700000000000000001)},
        .next_block = 1,
        .process_count = 1,
    };
    return builder;
}

void trace_builder_free(struct trace_builder *builder) {
    if (!builder)
        return;
    for (size_t i = 0; i < builder->lane_count; i++)
        free(builder->lanes[i].calls);
    free(builder->lanes);
    free(builder->threads);
    free(builder->data);
    free(builder);
}

uint8_t *trace_builder_bytes(struct trace_builder *builder, size_t *bytes) {
    *bytes = builder->bytes;
    return builder->data;
}

struct ts_file_header *trace_builder_header(struct trace_builder *builder) {
    return (struct ts_file_header *)(void *)builder->data;
}

uint64_t trace_builder_thread_pointer(uint32_t thread) {
    return UINT64_C(0x7f0000000000) + thread * UINT64_C(0x10000);
}

static struct thread_state *thread_of(struct trace_builder *builder, uint32_t thread) {
    for (size_t i = 0; i < builder->thread_count; i++)
        if (builder->threads[i].thread == thread)
            return &builder->threads[i];
    builder->threads = with_room(builder->threads, builder->thread_count, sizeof(*builder->threads));
    builder->threads[builder->thread_count] = (struct thread_state){.thread = thread};
    return &builder->threads[builder->thread_count++];
}

static struct lane *lane_of(struct trace_builder *builder, uint32_t thread, uint32_t track) {
    for (size_t i = 0; i < builder->lane_count; i++)
        if (builder->lanes[i].thread == thread && builder->lanes[i].track == track)
            return &builder->lanes[i];
    builder->lanes = with_room(builder->lanes, builder->lane_count, sizeof(*builder->lanes));
    builder->lanes[builder->lane_count] = (struct lane){.thread = thread, .track = track};
    return &builder->lanes[builder->lane_count++];
}

struct ts_window_header *trace_builder_newest_window(struct trace_builder *builder) {
    if (!builder->window)
        abort();
    return (struct ts_window_header *)(void *)(builder->data + builder->window);
}

static struct lane *current_lane(struct trace_builder *builder) {
    uint32_t thread = trace_builder_newest_window(builder)->thread;
    return lane_of(builder, thread, thread_of(builder, thread)->track);
}

static void push_call(struct lane *lane, struct ts_open_call call) {
    if (lane->depth == lane->capacity) {
        lane->capacity = lane->capacity ? lane->capacity * 2 : 16;
        lane->calls = must(realloc(lane->calls, lane->capacity * sizeof(*lane->calls)));
    }
    lane->calls[lane->depth++] = call;
}

static void pop_call(struct lane *lane) {
    if (lane->depth)
        lane->depth--;
    if (lane->lowest > lane->depth)
        lane->lowest = lane->depth;
}

void trace_builder_close_window(struct trace_builder *builder, uint64_t clock) {
    if (!builder->window || builder->closed)
        return;
    struct ts_window_header *window = trace_builder_newest_window(builder);
    window->flags |= TS_WINDOW_CLOSED;
    window->end_bytes = (uint32_t)(builder->position - builder->window);
    window->end_clock = clock;
    window->end_depth = window->thread ? current_lane(builder)->depth : 0;
    window->other_words = builder->other_words;
    window->unwound = builder->unwound;
    builder->closed = 1;
}

static struct ts_window_header *begin_window(struct trace_builder *builder, uint32_t process, uint32_t thread,
                                             uint64_t clock) {
    trace_builder_close_window(builder, builder->last_clock);
    builder->window = builder->bytes;
    builder->data = with_room(builder->data, builder->bytes / builder->block_bytes, builder->block_bytes);
    builder->bytes += builder->block_bytes;
    memset(builder->data + builder->window, 0, builder->block_bytes);

    struct ts_file_header *file = trace_builder_header(builder);
    file->file_bytes = builder->bytes;
    file->block_count = file->next_block = builder->bytes / builder->block_bytes;
    file->window_sequence++;
    if (thread > file->thread_count)
        file->thread_count = thread;
    if (process > file->process_count)
        file->process_count = process;

    struct ts_window_header *window = trace_builder_newest_window(builder);
    *window = (struct ts_window_header){
        .sequence = file->window_sequence,
        .magic = TS_WINDOW_MAGIC,
        .offset = builder->window,
        .bytes = (uint32_t)builder->block_bytes,
        .header_bytes = builder->header_bytes,
        .open_call_bytes = builder->open_call_bytes,
        .pid = file->pid + process - 1,
        .tid = file->pid + process - 1 + (thread ? thread - 1 : 0),
        .process = process,
        .thread = thread,
        .process_start = process == 1 ? file->start.clock : clock,
        .clock = clock,
        .records = builder->header_bytes,
    };
    if (file->clock_kind == TS_CLOCK_MONOTONIC)
        window->monotonic_ns = clock >> 2;
    memset(window + 1, 0xa5, builder->header_bytes - sizeof(*window));
    builder->position = builder->window + builder->header_bytes;
    builder->closed = 0;
    builder->epoch = clock >> TS_EPOCH_SHIFT;
    builder->last_clock = clock;
    builder->other_words = builder->unwound = 0;
    return window;
}

static void store_open_calls(struct trace_builder *builder, const struct lane *lane) {
    struct ts_window_header *window = trace_builder_newest_window(builder);
    size_t count = lane->depth < builder->open_call_limit ? lane->depth : builder->open_call_limit;
    window->depth = lane->depth;
    window->open_count = (uint32_t)count;
    for (size_t i = lane->depth - count; i < lane->depth; i++) {
        uint8_t *call = builder->data + builder->position;
        memset(call, 0xa5, builder->open_call_bytes);
        memcpy(call, &lane->calls[i], sizeof(lane->calls[i]));
        builder->position += builder->open_call_bytes;
    }
    window->records += (uint32_t)count * builder->open_call_bytes;
}

struct ts_window_header *trace_builder_window_of(struct trace_builder *builder, uint32_t process, uint32_t thread,
                                                 uint64_t clock) {
    struct ts_window_header *window = begin_window(builder, process, thread, clock);
    struct thread_state *state = thread_of(builder, thread);
    struct lane *lane = lane_of(builder, thread, state->track);
    window->thread_pointer = trace_builder_thread_pointer(thread);
    window->track = state->track;
    window->previous = state->last_sequence;
    window->lowest_depth = lane->lowest;
    state->last_sequence = window->sequence;
    store_open_calls(builder, lane);
    lane->lowest = lane->depth;
    return window;
}

struct ts_window_header *trace_builder_window(struct trace_builder *builder, uint32_t thread, uint64_t clock) {
    return trace_builder_window_of(builder, 1, thread, clock);
}

struct ts_window_header *trace_builder_forked_window(struct trace_builder *builder, uint32_t process, uint32_t thread,
                                                     uint32_t parent_thread, uint64_t clock) {
    size_t depth = lane_of(builder, parent_thread, 0)->depth;
    for (size_t i = 0; i < depth; i++) {
        struct ts_open_call call = lane_of(builder, parent_thread, 0)->calls[i];
        push_call(lane_of(builder, thread, 0), call);
    }
    struct ts_window_header *window = trace_builder_window_of(builder, process, thread, clock);
    window->flags |= TS_WINDOW_FIRST_OF_PROCESS;
    return window;
}

struct ts_window_header *trace_builder_control_window(struct trace_builder *builder, uint32_t process, uint64_t clock) {
    struct ts_window_header *window = begin_window(builder, process, 0, clock);
    window->flags |= TS_WINDOW_CONTROL;
    return window;
}

void trace_builder_limit_open_calls(struct trace_builder *builder, uint32_t limit) {
    builder->open_call_limit = limit;
}

void trace_builder_sizes(struct trace_builder *builder, uint16_t header_bytes, uint16_t open_call_bytes) {
    builder->header_bytes = header_bytes;
    builder->open_call_bytes = open_call_bytes;
}

/* Makes room for `bytes` in the newest window; a full one is followed by another of its kind. */
static void reserve(struct trace_builder *builder, size_t bytes, uint64_t clock) {
    struct ts_window_header *window = trace_builder_newest_window(builder);
    if (builder->position + bytes <= builder->window + window->bytes)
        return;
    if (window->thread)
        trace_builder_window_of(builder, window->process, window->thread, clock);
    else
        trace_builder_control_window(builder, window->process, clock);
}

void trace_builder_word(struct trace_builder *builder, uint32_t word) {
    reserve(builder, sizeof(word), builder->last_clock);
    memcpy(builder->data + builder->position, &word, sizeof(word));
    builder->position += sizeof(word);
}

void trace_builder_record(struct trace_builder *builder, uint32_t type, void *record, uint32_t bytes, const void *tail,
                          uint32_t tail_bytes) {
    uint32_t padded = (tail_bytes + 3) & ~UINT32_C(3);
    uint32_t head = TS_HEAD(type, (bytes + padded) / 4);
    memcpy(record, &head, sizeof(head));
    size_t at;
    if (builder->window) {
        reserve(builder, bytes + padded, builder->last_clock);
        at = builder->position;
        builder->position += bytes + padded;
        builder->other_words += (bytes + padded) / 4;
    } else {
        at = builder->preamble_end;
        builder->preamble_end += bytes + padded;
        if (builder->preamble_end > builder->block_bytes)
            abort();
        trace_builder_header(builder)->preamble_bytes = builder->preamble_end - PREAMBLE_OFFSET;
    }
    memcpy(builder->data + at, record, bytes);
    if (tail_bytes)
        memcpy(builder->data + at + bytes, tail, tail_bytes);
}

void trace_builder_time(struct trace_builder *builder, uint64_t clock) {
    struct ts_record_time record;
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, TS_RECORD_TIME, &record, sizeof(record), NULL, 0);
    builder->epoch = clock >> TS_EPOCH_SHIFT;
}

/* Room for an event of `bytes` and, where it is due, the TIME record before it. */
static void begin_event(struct trace_builder *builder, uint64_t clock, size_t bytes) {
    reserve(builder, bytes + sizeof(struct ts_record_time), clock);
    if (clock >> TS_EPOCH_SHIFT != builder->epoch)
        trace_builder_time(builder, clock);
    if (clock > builder->last_clock)
        builder->last_clock = clock;
}

void trace_builder_enter(struct trace_builder *builder, uint64_t clock, uint64_t address) {
    begin_event(builder, clock, TS_ENTER_BYTES);
    trace_builder_word(builder, ((uint32_t)clock & TS_CLOCK_FIELD) | TS_KIND_ENTER);
    trace_builder_word(builder, (uint32_t)address);
    push_call(current_lane(builder), (struct ts_open_call){.address = address, .clock = clock});
}

void trace_builder_enter_values(struct trace_builder *builder, uint64_t clock, uint64_t address,
                                const struct trace_values *values) {
    struct ts_record_enter_wide record;
    uint32_t value_bytes = values->count * (uint32_t)sizeof(*values->words);
    begin_event(builder, clock, sizeof(record) + value_bytes);
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.address, address);
    trace_builder_record(builder, TS_RECORD_ENTER_WIDE, &record, sizeof(record), values->words, value_bytes);
    builder->other_words -= TS_ENTER_BYTES / sizeof(uint32_t); /* as the recorder counts */
    push_call(current_lane(builder), (struct ts_open_call){.address = address, .clock = clock});
}

void trace_builder_enter_wide(struct trace_builder *builder, uint64_t clock, uint64_t address) {
    trace_builder_enter_values(builder, clock, address, &(struct trace_values){.count = 0});
}

void trace_builder_result(struct trace_builder *builder, uint64_t clock, uint32_t error, uint64_t value,
                          const struct trace_values *values) {
    struct ts_record_result record = {.error = error};
    uint32_t value_bytes = values->count * (uint32_t)sizeof(*values->words);
    begin_event(builder, clock, sizeof(record) + value_bytes);
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.value, value);
    trace_builder_record(builder, TS_RECORD_RESULT, &record, sizeof(record), values->words, value_bytes);
    builder->other_words -= TS_EXIT_BYTES / sizeof(uint32_t);
    pop_call(current_lane(builder));
}

void trace_builder_exit(struct trace_builder *builder, uint64_t clock) {
    begin_event(builder, clock, TS_EXIT_BYTES);
    trace_builder_word(builder, ((uint32_t)clock & TS_CLOCK_FIELD) | TS_KIND_EXIT);
    pop_call(current_lane(builder));
}

void trace_builder_unwind(struct trace_builder *builder, uint64_t clock, uint32_t count, uint32_t reason) {
    struct ts_record_unwind record = {.count = count, .reason = reason};
    begin_event(builder, clock, sizeof(record));
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, TS_RECORD_UNWIND, &record, sizeof(record), NULL, 0);
    builder->unwound += count;
    for (uint32_t i = 0; i < count && current_lane(builder)->depth; i++)
        pop_call(current_lane(builder));
}

void trace_builder_switch(struct trace_builder *builder, uint64_t clock, uint32_t track) {
    struct ts_record_switch record = {.track = track, .kind = track ? TS_SWITCH_CONTEXT : TS_SWITCH_THREAD_STACK};
    uint32_t thread = trace_builder_newest_window(builder)->thread;
    begin_event(builder, clock, sizeof(record));
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.depth, lane_of(builder, thread, track)->depth);
    trace_builder_record(builder, TS_RECORD_SWITCH, &record, sizeof(record), NULL, 0);
    thread_of(builder, thread)->track = track;
}

void trace_builder_thread_end(struct trace_builder *builder, uint64_t clock) {
    struct ts_record_thread_end record;
    begin_event(builder, clock, sizeof(record));
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, TS_RECORD_THREAD_END, &record, sizeof(record), NULL, 0);
}

void trace_builder_lost(struct trace_builder *builder, uint64_t clock, uint64_t count, uint32_t reason) {
    struct ts_record_lost record = {.reason = reason};
    begin_event(builder, clock, sizeof(record));
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.count, count);
    trace_builder_record(builder, TS_RECORD_LOST, &record, sizeof(record), NULL, 0);
}

void trace_builder_save(struct trace_builder *builder, const char *directory, const char *name) {
    char path[4096];
    char own_name[32];
    snprintf(own_name, sizeof(own_name), "%u.trace", trace_builder_header(builder)->pid);
    snprintf(path, sizeof(path), "%s/%s", directory, name ? name : own_name);
    FILE *file = must(fopen(path, "wb"));
    if (fwrite(builder->data, 1, builder->bytes, file) != builder->bytes || fclose(file) != 0)
        abort();
}

char *trace_builder_make_directory(void) {
    const char *temporary = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/traceshim-test-XXXXXX", temporary && *temporary ? temporary : "/tmp") < 0)
        abort();
    return must(mkdtemp(path));
}

void trace_builder_remove_directory(char *directory) {
    DIR *entries = must(opendir(directory));
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(entries), entry->d_name, 0);
    closedir(entries);
    rmdir(directory);
    free(directory);
}
