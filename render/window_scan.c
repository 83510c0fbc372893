/* Finds the windows of a trace and reads them: the one place that believes a window header, and checks it for that. */
#include "render/memory.h"
#include "render/trace_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *ts_window_problem(const struct ts_trace *trace, const struct ts_window_header *header, uint64_t offset) {
    uint64_t to_block_end = trace->header.block_bytes - offset % trace->header.block_bytes;
    uint64_t open_bytes = (uint64_t)header->open_count * header->open_call_bytes;
    if (header->magic != TS_WINDOW_MAGIC)
        return "no window begins here";
    if (header->offset != offset)
        return "it names another offset";
    if (header->bytes < sizeof(*header) || header->bytes > to_block_end || header->bytes > TS_WINDOW_BYTES_MAX)
        return "bytes";
    /* Both structs have 64-bit fields: whatever a newer version appends, their sizes are multiples of 8. */
    if (header->header_bytes < sizeof(*header) || header->header_bytes % sizeof(uint64_t))
        return "header_bytes";
    if (header->open_call_bytes < sizeof(struct ts_open_call) || header->open_call_bytes % sizeof(uint64_t))
        return "open_call_bytes";
    if (header->records < header->header_bytes + open_bytes || header->records > header->bytes || header->records % 4)
        return "records";
    if (header->open_count > header->depth)
        return "open_count";
    if (header->end_bytes && (header->end_bytes < header->records || header->end_bytes > header->bytes))
        return "end_bytes";
    if (header->process == 0)
        return "process";
    if ((header->thread == 0) != ((header->flags & TS_WINDOW_CONTROL) != 0))
        return "thread";
    return NULL;
}

/* ENTER is two words, EXIT one; enters - exits = growth of the depth + unwound. A switch of stacks blurs the depth. */
static uint32_t estimate_calls(const struct ts_trace *trace, const struct ts_window_header *header) {
    if (header->thread == 0)
        return 0;
    uint64_t end = header->offset + (header->end_bytes ? header->end_bytes : header->bytes);
    uint64_t begin = header->offset + header->records;
    uint64_t words = (ts_trace_data_end(trace, begin, end) - begin) / sizeof(uint32_t);
    uint64_t most = words / (TS_ENTER_BYTES / sizeof(uint32_t));
    if (!header->end_bytes || header->other_words > words || header->unwound > words)
        return (uint32_t)most;
    int64_t growth = (int64_t)(header->end_depth - header->depth);
    if (growth > (int64_t)words || growth < -(int64_t)words)
        return (uint32_t)most;
    int64_t calls = ((int64_t)(words - header->other_words + header->unwound) + growth + 2) / 3;
    return calls < 0 ? 0 : (uint64_t)calls < most ? (uint32_t)calls : (uint32_t)most;
}

static void add_window(struct ts_trace *trace, size_t *capacity, const struct ts_window_header *header) {
    trace->windows = ts_memory_grow(trace->windows, capacity, trace->window_count + 1, sizeof(*trace->windows));
    trace->windows[trace->window_count++] = (struct ts_window){
        .sequence = header->sequence,
        .offset = header->offset,
        .clock = header->clock,
        .monotonic_ns = header->monotonic_ns,
        .end_clock = header->flags & TS_WINDOW_CLOSED ? header->end_clock : 0,
        .bytes = header->bytes,
        .flags = header->flags,
        .process = header->process,
        .thread = header->thread,
        .track = header->track,
        .calls = estimate_calls(trace, header),
    };
}

static int compare_windows(const void *left, const void *right) {
    const struct ts_window *a = left;
    const struct ts_window *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* A sequence number is given out once: of two windows that carry the same, the second is damaged. */
static void sort_windows(struct ts_trace *trace) {
    if (!trace->window_count)
        return;
    qsort(trace->windows, trace->window_count, sizeof(*trace->windows), compare_windows);
    size_t kept = 1;
    for (size_t i = 1; i < trace->window_count; i++) {
        const struct ts_window *last = &trace->windows[kept - 1];
        const struct ts_window *window = &trace->windows[i];
        if (window->process == last->process && window->thread == last->thread && window->sequence == last->sequence)
            trace->damaged_windows++;
        else
            trace->windows[kept++] = *window;
    }
    trace->window_count = kept;
}

static int is_empty(const struct ts_window_header *header) {
    static const struct ts_window_header empty;
    return memcmp(header, &empty, sizeof(empty)) == 0;
}

int ts_window_scan(struct ts_trace *trace) {
    uint64_t end = trace->header.block_count * trace->header.block_bytes;
    uint64_t damaged_block = UINT64_MAX;
    size_t capacity = 0;
    for (uint64_t at = trace->header.first_block * trace->header.block_bytes; at < end;) {
        uint64_t data = ts_trace_next_data(trace, at);
        if (data >= end)
            break;
        if (data / TS_WINDOW_STEP != at / TS_WINDOW_STEP)
            at = data / TS_WINDOW_STEP * TS_WINDOW_STEP;

        struct ts_window_header header;
        if (ts_trace_read(trace, at, &header, sizeof(header)) < 0)
            return -1;
        if (header.sequence && !ts_window_problem(trace, &header, at)) {
            add_window(trace, &capacity, &header);
            at = (at + header.bytes + TS_WINDOW_ALIGN - 1) & ~(uint64_t)(TS_WINDOW_ALIGN - 1);
            damaged_block = UINT64_MAX;
            continue;
        }
        /* A header without a sequence is one that is just being made. One damaged window covers many steps. */
        if (header.sequence && !is_empty(&header) && damaged_block != at / trace->header.block_bytes &&
            at + sizeof(header) <= trace->file_bytes && at % TS_WINDOW_STEP == 0) {
            damaged_block = at / trace->header.block_bytes;
            trace->damaged_windows++;
        }
        at = (at / TS_WINDOW_STEP + 1) * TS_WINDOW_STEP;
    }
    sort_windows(trace);
    return 0;
}

/* The part of each open call that this version knows, one behind the other. The window has passed its check. */
static const struct ts_open_call *pack_open_calls(uint8_t *data, const struct ts_window_header *header) {
    uint8_t *calls = data + header->header_bytes;
    if (header->open_call_bytes != sizeof(struct ts_open_call))
        for (size_t i = 1; i < header->open_count; i++)
            memmove(calls + i * sizeof(struct ts_open_call), calls + i * header->open_call_bytes,
                    sizeof(struct ts_open_call));
    return (const struct ts_open_call *)(const void *)calls;
}

/*
 * Has the kernel give all pages of new memory at once: a fault for each, while a file is read into it, takes as long as
 * the reading. Advice: whatever comes of it, the memory is as it was.
 */
static void populate(uint8_t *memory, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = -(uintptr_t)memory & (page - 1);
    if (bytes >= before + page)
        madvise(memory + before, (bytes - before) & ~(page - 1), MADV_POPULATE_WRITE);
#else
    (void)memory;
    (void)bytes;
#endif
}

int ts_trace_read_window(const struct ts_trace *trace, const struct ts_window *window, struct ts_window_copy *copy) {
    uint64_t data_end = ts_trace_data_end(trace, window->offset, window->offset + window->bytes);
    size_t bytes = (size_t)(data_end - window->offset);
    if (bytes < sizeof(copy->header))
        return -1;
    bool is_new = bytes > copy->capacity;
    uint8_t *data = copy->data = ts_memory_grow(copy->data, &copy->capacity, bytes, 1);
    if (is_new)
        populate(data, bytes);
    uint64_t sequence_after;
    if (ts_trace_read(trace, window->offset, data, bytes) < 0 ||
        ts_trace_read(trace, window->offset, &sequence_after, sizeof(sequence_after)) < 0)
        return -1;
    memcpy(&copy->header, data, sizeof(copy->header));
    /* A ring may recycle the window while it is read. */
    if (copy->header.sequence != window->sequence || sequence_after != window->sequence)
        return 1;
    if (copy->header.process != window->process || copy->header.thread != window->thread ||
        copy->header.records > bytes || ts_window_problem(trace, &copy->header, window->offset))
        return -1;
    size_t end = copy->header.end_bytes && copy->header.end_bytes < bytes ? copy->header.end_bytes : bytes;
    if (end < copy->header.records)
        end = copy->header.records;
    copy->open_calls = pack_open_calls(data, &copy->header);
    copy->records = (const uint32_t *)(const void *)(data + copy->header.records);
    copy->end = copy->records + (end - copy->header.records) / sizeof(uint32_t);
    return 0;
}

void ts_window_copy_free(struct ts_window_copy *copy) {
    free(copy->data);
    *copy = (struct ts_window_copy){0};
}

void ts_trace_will_read(const struct ts_trace *trace, const struct ts_window *window) {
    posix_fadvise(trace->descriptor, (off_t)window->offset, (off_t)window->bytes, POSIX_FADV_WILLNEED);
}
