/*
 * A session: every trace file of an output directory, or of those in a directory that has no traces itself, opened,
 * checked and made ready to replay.
 * Owned by the caller; everything reached from it lives until ts_session_close.
 */
#ifndef TRACESHIM_RENDER_SESSION_H
#define TRACESHIM_RENDER_SESSION_H

#include "render/error.h"
#include "render/functions.h"

#include <stddef.h>
#include <stdint.h>

struct ts_sites; /* render/sites.h */
struct ts_trace; /* one trace file: render/trace_file.h */

/* A process: an exec image or a forked child of one. */
struct ts_process {
    struct ts_trace *trace;
    uint32_t number; /* in its file */
    uint32_t pid;
    uint32_t parent_pid; /* 0: not known */
    const char *name;    /* for people: file name of its executable; never empty */
    const char *command; /* command line, arguments separated by spaces, cut; "" when not known */
    uint64_t start_ns;   /* first known time, CLOCK_MONOTONIC */
    uint64_t end_ns;     /* last known time of any of its threads, or its end where that was seen */
    uint32_t end_reason; /* enum ts_end_reason */
    int32_t end_status;
    int64_t realtime_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC at its start */
    int mpi_rank;               /* -1: none */
    int mpi_size;               /* -1: none */
};

/* A stack that calls nest on: a thread, or another stack that a thread switched to. */
struct ts_stream {
    struct ts_process *process;
    uint32_t thread; /* number in the file */
    uint32_t tid;
    uint32_t maker_tid; /* of the thread that made it; 0: not known, or none of its process */
    uint32_t track;     /* 0: the thread's own stack */
    const char *name;   /* the thread's name; "" when not known */
    uint64_t start_ns;
    uint64_t end_ns; /* last known time of its thread */
    void *user;      /* for the sink of a running replay; NULL at its start */
    void *filter;    /* the same for the session's filter */
};

/*
 * Why calls ended without their exit: the first are unwound, those from PROCESS_EXIT on unfinished. Name, word for
 * programs, text for people.
 */
#define TS_CLOSED_BY(X)                                                                                                \
    X(EXCEPTION, "exception", "left by an exception")                                                                  \
    X(JUMP, "longjmp", "left by longjmp")                                                                              \
    X(THREAD_END, "thread_end", "open when their thread ended, by pthread_exit or cancellation")                       \
    X(UNWIND, "unwind", "their frames were gone; it was not seen why")                                                 \
    X(PROCESS_EXIT, "process_exit", "open when their process exited")                                                  \
    X(ABORT, "abort", "open when their process aborted")                                                               \
    X(EXEC, "exec", "open when their process executed another program")                                                \
    X(SIGNAL, "signal", "open when a signal ended their process")                                                      \
    X(NO_END, "no_end", "open when last seen: their process was killed, or still runs")                                \
    X(MISSING, "missing", "their exits are among what is missing")                                                     \
    X(PAUSE, "pause", "open when recording paused, and over or not seen since")
enum ts_closed_by {
#define X(name, word, text) TS_CLOSED_BY_##name,
    TS_CLOSED_BY(X)
#undef X
        TS_CLOSED_BY_COUNT
};

/* What was recorded and what is missing, added up over the session's files. */
struct ts_totals {
    uint64_t calls; /* ENTER records in the files; known after a replay */
    uint64_t unfinished;
    uint64_t unwound;
    uint64_t closed_by[TS_CLOSED_BY_COUNT]; /* the same by reason; known after a replay */
    uint64_t lost_events;
    uint64_t dropped_calls;
    uint64_t dropped_windows;
    uint64_t misnested;
    uint64_t damaged_windows; /* headers or records that did not validate; the rest was read */
    uint64_t file_bytes;      /* used, not apparent */
    /* Level 2; known after a replay. */
    uint64_t call_sites;   /* calls of which no more than the call site is known */
    uint64_t stacks;       /* calls with their callers */
    uint64_t whole_stacks; /* those of them that are known up to an open call, or where the thread began */
};

struct ts_session {
    char *directory;
    struct ts_functions *functions;
    struct ts_sites *sites;
    struct ts_trace **traces;
    size_t trace_count;
    struct ts_process **processes; /* by start time */
    size_t process_count;
    /*
     * Grouped by process in that order, then by start time of the thread; track 0 before its others. A replay that
     * finds stacks which no window's header names (switched to and left inside one window) adds them when it ends.
     */
    struct ts_stream **streams;
    size_t stream_count;
    struct ts_totals totals;
    size_t refused_traces; /* files that could not be read, or are not for this version */
    char **warnings;       /* one line each: what could not be read and why */
    size_t warning_count;
    uint64_t part_bytes;          /* of windows that are decoded as one part (thread_parts.h); 0: what is fastest */
    uint64_t parts_joined;        /* in all replays so far */
    struct ts_progress *progress; /* where replays tell how far they are; NULL: nowhere. The caller's */
    const struct ts_span_filter *filter; /* what every replay shows, render/span_filter.h; NULL: all. The caller's */
    bool filter_matched;                 /* the last replay with a filter had something to show */
};

/*
 * Opens a directory (or one .trace file). A file that cannot be read is left out with a warning as long as another can;
 * a directory without traces opens with process_count 0 and a warning that names the reason. NULL and the error when
 * `path` is not readable, or when every trace in it is refused.
 */
struct ts_session *ts_session_open(const char *path, struct ts_error *error);
void ts_session_close(struct ts_session *session);

#endif
