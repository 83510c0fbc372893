/*
 * One trace file: its checked header, the index of its windows, and private copies of them.
 *
 * Nothing in the file is trusted and nothing of it is mapped: every part is read into memory first and checked there,
 * so a file that is still being written, cut or replaced while it is read gives a missing or damaged window, never
 * SIGBUS and never a length that changes after its check. Holes of the sparse file are skipped, not read.
 */
#ifndef TRACESHIM_RENDER_TRACE_FILE_H
#define TRACESHIM_RENDER_TRACE_FILE_H

#include "collector/trace_format.h"
#include "render/clock_fit.h"
#include "render/error.h"

#include <sys/types.h>

/* Where the file holds data: [start, end) in bytes, ascending. */
struct ts_extent {
    uint64_t start;
    uint64_t end;
};

/* A window whose header was complete and sound when the file was opened. */
struct ts_window {
    uint64_t sequence;
    uint64_t offset;
    uint64_t clock;
    uint64_t monotonic_ns;
    uint64_t end_clock; /* 0: not closed */
    uint32_t bytes;
    uint32_t flags;
    uint32_t process;
    uint32_t thread; /* 0: a control window */
    uint32_t track;  /* on which it begins */
    uint32_t calls;  /* ENTER records in it: an upper bound while it is open, else near */
};

struct ts_facts;

struct ts_trace {
    char *path;
    int descriptor; /* -1 unless acquired */
    dev_t device;   /* the file that was opened: one of the same name is another */
    ino_t inode;
    uint64_t file_bytes; /* apparent size when it was opened */
    uint64_t data_bytes; /* without the holes */
    struct ts_file_header header;
    uint8_t *preamble; /* a copy; header.preamble_bytes long; NULL: missing or damaged */
    struct ts_extent *extents;
    size_t extent_count;
    struct ts_window *windows; /* by process, thread and sequence */
    size_t window_count;
    uint64_t damaged_windows;
    int truncated; /* the file ends before what was written to it */
    struct ts_clock_fit clock;
    uint64_t clock_steps_back; /* how often a thread's clock was behind what it had been */
    struct ts_facts *facts;    /* what the records say: render/trace_facts.h */
};

/* A private copy of one window. Reused from window to window; all zero at first. */
struct ts_window_copy {
    uint8_t *data;
    size_t capacity;
    struct ts_window_header header; /* checked again */
    const struct ts_open_call *open_calls;
    const uint32_t *records;
    const uint32_t *end;
};

/* No recorder makes larger windows; a header that says so is damaged. */
#define TS_WINDOW_BYTES_MAX (UINT32_C(64) << 20)

/*
 * Opens and checks the file and finds its windows; ts_trace_release follows. Returns 0, -1 and the error when it cannot
 * be read or is refused, or 1 and the reason in `error` when it holds nothing yet (its process ended during start-up).
 */
int ts_trace_open(struct ts_trace **trace, const char *path, struct ts_error *error);
void ts_trace_close(struct ts_trace *trace);

/* Opens the file for reading windows, if it is not open; a session may hold more files than a process may open. */
int ts_trace_acquire(struct ts_trace *trace, struct ts_error *error);
void ts_trace_release(struct ts_trace *trace);

/* Reads up to `bytes` at `offset`; holes and everything past the end read as zero. 0, or -1 (the file is gone). */
int ts_trace_read(const struct ts_trace *trace, uint64_t offset, void *buffer, size_t bytes);

/*
 * Reads a window. Returns 0, 1 when it is gone (a ring recycled it, or the file was cut), or -1 when it is damaged or
 * cannot be read.
 */
int ts_trace_read_window(const struct ts_trace *trace, const struct ts_window *window, struct ts_window_copy *copy);
void ts_window_copy_free(struct ts_window_copy *copy);

/* Tells the kernel that this window is read next. */
void ts_trace_will_read(const struct ts_trace *trace, const struct ts_window *window);

/* What is wrong with a header found at `offset`; NULL when it is sound. */
const char *ts_window_problem(const struct ts_trace *trace, const struct ts_window_header *header, uint64_t offset);

/* Fills windows, window_count and damaged_windows of an acquired trace. 0, or -1 (errno) when it cannot be read. */
int ts_window_scan(struct ts_trace *trace);

/* The first data at or after `offset`; UINT64_MAX when there is none. */
uint64_t ts_trace_next_data(const struct ts_trace *trace, uint64_t offset);

/* The end of the last data in [start, end); `start` when there is none. */
uint64_t ts_trace_data_end(const struct ts_trace *trace, uint64_t start, uint64_t end);

#endif
