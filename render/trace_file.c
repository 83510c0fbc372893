#include "render/trace_file.h"
#include "render/memory.h"
#include "render/trace_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A preamble of a real process is a few KiB; its length field may say anything. */
#define PREAMBLE_BYTES_MAX (UINT64_C(64) << 20)

int ts_trace_acquire(struct ts_trace *trace, struct ts_error *error) {
    if (trace->descriptor >= 0)
        return 0;
    int descriptor = open(trace->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return ts_error_set(error, "cannot open %s: %s", trace->path, strerror(errno));
    struct stat status;
    if (fstat(descriptor, &status) < 0 ||
        (trace->inode && (status.st_dev != trace->device || status.st_ino != trace->inode))) {
        close(descriptor);
        return ts_error_set(error, "%s was replaced while it was read: try again", trace->path);
    }
    if (!S_ISREG(status.st_mode)) {
        close(descriptor);
        return ts_error_set(error, "%s is not a regular file", trace->path);
    }
    trace->descriptor = descriptor;
    trace->device = status.st_dev;
    trace->inode = status.st_ino;
    trace->file_bytes = (uint64_t)status.st_size;
    return 0;
}

void ts_trace_release(struct ts_trace *trace) {
    if (trace->descriptor >= 0)
        close(trace->descriptor);
    trace->descriptor = -1;
}

int ts_trace_read(const struct ts_trace *trace, uint64_t offset, void *buffer, size_t bytes) {
    uint8_t *to = buffer;
    while (bytes) {
        ssize_t got = offset <= INT64_MAX ? pread(trace->descriptor, to, bytes, (off_t)offset) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        to += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    memset(to, 0, bytes);
    return 0;
}

static void find_extents(struct ts_trace *trace) {
    size_t capacity = 0;
    for (off_t at = 0;;) {
        off_t start = lseek(trace->descriptor, at, SEEK_DATA);
        if (start < 0 && errno == ENXIO)
            return;
        off_t end = start < 0 ? -1 : lseek(trace->descriptor, start, SEEK_HOLE);
        if (end <= start) { /* a file system that does not know: all of it may be data */
            start = at;
            end = (off_t)trace->file_bytes;
            if (end <= start)
                return;
        }
        trace->extents = ts_memory_grow(trace->extents, &capacity, trace->extent_count + 1, sizeof(*trace->extents));
        trace->extents[trace->extent_count++] = (struct ts_extent){(uint64_t)start, (uint64_t)end};
        trace->data_bytes += (uint64_t)(end - start);
        at = end;
    }
}

/* Index of the first extent that ends after `offset`; extent_count when there is none. */
static size_t extent_after(const struct ts_trace *trace, uint64_t offset) {
    size_t low = 0;
    size_t high = trace->extent_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->extents[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t ts_trace_next_data(const struct ts_trace *trace, uint64_t offset) {
    size_t index = extent_after(trace, offset);
    if (index == trace->extent_count)
        return UINT64_MAX;
    return trace->extents[index].start > offset ? trace->extents[index].start : offset;
}

uint64_t ts_trace_data_end(const struct ts_trace *trace, uint64_t start, uint64_t end) {
    size_t index = end ? extent_after(trace, end - 1) : 0;
    if (index < trace->extent_count && trace->extents[index].start < end)
        return end;
    if (index == 0 || trace->extents[index - 1].end <= start)
        return start;
    return trace->extents[index - 1].end;
}

static int is_zero(const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count && *at == 0) {
        at++;
        count--;
    }
    return count == 0;
}

/* Whether this version can read the file at all. */
static int check_identity(const struct ts_trace *trace, struct ts_error *error) {
    const struct ts_file_header *header = &trace->header;
    const char *path = trace->path;
    if (header->magic == __builtin_bswap64(TS_TRACE_MAGIC))
        return ts_error_set(error, "%s: recorded on a machine of the other byte order: read it there", path);
    if (header->magic != TS_TRACE_MAGIC)
        return ts_error_set(error, "%s is not a traceshim trace (its first bytes say something else)", path);
    if (header->byte_order != TS_BYTE_ORDER)
        return ts_error_set(error, "%s: recorded on a machine of the other byte order: read it there", path);
    if (header->version_major > TS_VERSION_MAJOR)
        return ts_error_set(error, "%s: trace of a newer version (%u.%u; this is %d.%d): use a newer traceshim", path,
                            header->version_major, header->version_minor, TS_VERSION_MAJOR, TS_VERSION_MINOR);
    if (header->version_major != TS_VERSION_MAJOR)
        return ts_error_set(error, "%s: damaged header (version %u.%u never existed)", path, header->version_major,
                            header->version_minor);
    uint64_t unknown = header->incompatible_features & ~TS_INCOMPATIBLE_KNOWN;
    if (unknown)
        return ts_error_set(error,
                            "%s: needs features that this version does not know (0x%" PRIx64 "): use a newer traceshim",
                            path, unknown);
    return 0;
}

/* Whether the sizes in the header fit each other; the file itself may be shorter. */
static int check_layout(const struct ts_trace *trace, struct ts_error *error) {
    const struct ts_file_header *header = &trace->header;
    const char *what = NULL;
    if (header->header_bytes < sizeof(*header) || header->header_bytes > TS_WINDOW_STEP)
        what = "header_bytes";
    else if (header->block_bytes < TS_WINDOW_STEP || (header->block_bytes & (header->block_bytes - 1)) != 0 ||
             header->block_bytes > UINT64_C(1) << 40)
        what = "block_bytes";
    else if (header->block_count > UINT64_MAX / header->block_bytes / 2 || header->block_count == 0 ||
             header->block_count * header->block_bytes > header->file_bytes)
        what = "block_count";
    else if (header->first_block == 0 || header->first_block > header->block_count)
        what = "first_block";
    else if (header->clock_kind < TS_CLOCK_TSC || header->clock_kind > TS_CLOCK_MONOTONIC)
        what = "clock_kind";
    if (what)
        return ts_error_set(error, "%s: damaged header (%s)", trace->path, what);
    return 0;
}

/* The preamble lies in the header area, behind the header and beside the block table. */
static int preamble_fits(const struct ts_file_header *header) {
    uint64_t area = header->first_block * header->block_bytes;
    uint64_t start = header->preamble_offset;
    uint64_t bytes = header->preamble_bytes;
    uint64_t table = header->block_table_offset;
    uint64_t table_bytes = header->block_count * sizeof(uint32_t);
    if (start < header->header_bytes || start % 4 || start > area || bytes > area - start || bytes > PREAMBLE_BYTES_MAX)
        return 0;
    return table >= start + bytes || table + table_bytes <= start;
}

static int read_preamble(struct ts_trace *trace) {
    uint64_t bytes = trace->header.preamble_bytes & ~UINT64_C(3);
    if (bytes == 0 || !preamble_fits(&trace->header))
        return 0;
    trace->preamble = ts_memory_new(bytes, 1);
    if (ts_trace_read(trace, trace->header.preamble_offset, trace->preamble, bytes) < 0)
        return -1;
    if (is_zero(trace->preamble, bytes)) {
        free(trace->preamble);
        trace->preamble = NULL;
    }
    return 0;
}

/* Whether data that was written cannot be in the file. A file cut behind its last window is whole. */
static int is_truncated(const struct ts_trace *trace) {
    const struct ts_file_header *header = &trace->header;
    if (trace->file_bytes < header->preamble_offset + header->preamble_bytes && preamble_fits(header))
        return 1;
    for (size_t i = 0; i < trace->window_count; i++) {
        const struct ts_window *window = &trace->windows[i];
        if (window->offset + window->bytes > trace->file_bytes && !(window->flags & TS_WINDOW_CLOSED))
            return 1;
    }
    uint64_t claimed = header->next_block < header->block_count ? header->next_block : header->block_count;
    return claimed > header->first_block && (claimed - 1) * header->block_bytes >= trace->file_bytes;
}

static int load(struct ts_trace *trace, struct ts_error *error) {
    if (ts_trace_acquire(trace, error) < 0)
        return -1;
    if (ts_trace_read(trace, 0, &trace->header, sizeof(trace->header)) < 0)
        return ts_error_set(error, "cannot read %s: %s", trace->path, strerror(errno));
    if (is_zero(&trace->header, sizeof(trace->header))) {
        ts_error_set(error, "%s is empty: its process ended before recording began", trace->path);
        return 1;
    }
    if (trace->file_bytes < sizeof(trace->header) && trace->header.magic == TS_TRACE_MAGIC)
        return ts_error_set(error, "%s is cut off inside its header (%" PRIu64 " bytes)", trace->path,
                            trace->file_bytes);
    if (check_identity(trace, error) < 0 || check_layout(trace, error) < 0)
        return -1;
    find_extents(trace);
    if (read_preamble(trace) < 0 || ts_window_scan(trace) < 0)
        return ts_error_set(error, "cannot read %s: %s", trace->path, strerror(errno));
    trace->truncated = is_truncated(trace);
    return 0;
}

int ts_trace_open(struct ts_trace **out, const char *path, struct ts_error *error) {
    *out = NULL;
    struct ts_trace *trace = ts_memory_new(1, sizeof(*trace));
    trace->descriptor = -1;
    trace->path = ts_memory_copy(path, strlen(path));
    int result = load(trace, error);
    if (result != 0) {
        ts_trace_close(trace);
        return result;
    }
    *out = trace;
    return 0;
}

void ts_trace_close(struct ts_trace *trace) {
    if (!trace)
        return;
    ts_trace_release(trace);
    ts_facts_free(trace->facts);
    ts_clock_fit_free(&trace->clock);
    free(trace->windows);
    free(trace->extents);
    free(trace->preamble);
    free(trace->path);
    free(trace);
}
