/*
 * What the records of one trace say about its processes, threads and modules: read once, when the trace is opened, from
 * the preamble, the control windows and the last window of every thread.
 */
#ifndef TRACESHIM_RENDER_TRACE_FACTS_H
#define TRACESHIM_RENDER_TRACE_FACTS_H

#include "render/crash.h"
#include "render/functions.h"
#include "render/hook_map.h"
#include "render/module_map.h"
#include "render/trace_file.h"
#include "render/trace_origins.h"
#include "render/trace_pauses.h"

#define X(name, number, text) +1
enum { TS_METADATA_KEYS = 1 TS_METADATA(X) };
#undef X

struct ts_thread_facts {
    uint32_t process;
    uint32_t thread;
    uint32_t tid;
    uint64_t thread_pointer;
    size_t first_window; /* its windows stand together in ts_trace.windows */
    size_t window_count;
    uint64_t start_clock;
    uint32_t maker;                         /* number of the thread that made it; 0: not known */
    uint64_t made_clock;                    /* when it did */
    uint64_t last_clock;                    /* of its last record; its end where that was seen */
    struct ts_clock_point pair;             /* the newest in its last window; all zero: none */
    int ended;                              /* it said so */
    int inherited;                          /* it is the thread of a forked child that came out of fork */
    char *name;                             /* NULL: not known */
    const struct ts_unrecorded *unrecorded; /* it stands for a program that was not recorded; else NULL */
};

/* A child that was made to execute another program. */
struct ts_spawn_facts {
    uint32_t process; /* number of its parent */
    uint32_t pid;
    uint64_t clock;
    char *path; /* as the parent named it */
};

/* A program that a process of this file executed, and that was not recorded: see unrecorded.h. */
struct ts_unrecorded {
    struct ts_thread_facts thread; /* its tid is the program's pid */
    const char *why;
    char *path;
};

struct ts_process_facts {
    uint32_t number;
    uint32_t pid;
    uint32_t parent_pid;    /* 0: not known */
    uint32_t parent_number; /* in this file and smaller than the own; 0: none */
    uint64_t start_clock;   /* when it was first seen */
    uint64_t last_clock;    /* of any of its records, or its end */
    int ended;              /* last_clock is its end, which holds for its threads too */
    uint32_t end_reason;    /* enum ts_end_reason */
    int32_t end_status;
    uint64_t exec_clock; /* of its last EXEC record; 0: none */
    char *exec_path;
    int64_t realtime_offset_ns; /* of its last clock pair, else its parent's or the file's; 0: none */
    struct ts_module_map *modules;
    struct ts_hook_map *hooks;
    size_t metadata[TS_METADATA_KEYS]; /* by key: index + 1 of the first value; a child has its parent's; 0: none */
    size_t first_thread;               /* its threads stand together in ts_facts.threads */
    size_t thread_count;
};

struct ts_metadata {
    uint32_t process; /* number */
    uint32_t key;     /* enum ts_metadata_key, or one that this version does not know */
    uint32_t value_bytes;
    char *value; /* with a NUL behind it */
};

/* As in struct ts_record_slots. */
struct ts_slots_facts {
    uint32_t process; /* number */
    uint32_t generation;
    uint32_t patched;
    uint32_t left;
    uint32_t refused;
};

struct ts_facts {
    struct ts_process_facts *processes; /* by number; at least the one that made the file */
    size_t process_count;
    struct ts_thread_facts *threads; /* by process and number */
    size_t thread_count;
    struct ts_metadata *metadata; /* as recorded */
    size_t metadata_count;
    struct ts_slots_facts *slots; /* by process, then as recorded */
    size_t slots_count;
    struct ts_spawn_facts *spawns; /* as recorded */
    size_t spawn_count;
    struct ts_pause_facts *pauses; /* by process, then clock */
    size_t pause_count;
    struct ts_origin_facts *origins; /* as recorded */
    size_t origin_count;
    struct ts_unrecorded **unrecorded; /* filled by ts_unrecorded_streams */
    size_t unrecorded_count;
    size_t unrecorded_capacity;
    struct ts_crash *crashes; /* as recorded; their frames are there after ts_facts_resolve_crash */
    size_t crash_count;
    int counts_code;       /* executed code was counted */
    uint32_t refused_type; /* a record that must be understood and is not: what followed it was not read. 0: none */
};

/* Fills trace->facts and trace->clock; damage is counted in the trace. The trace must be acquired. */
void ts_facts_read(struct ts_trace *trace, struct ts_functions *functions);
void ts_facts_free(struct ts_facts *facts);

/* The signal that the process was ended by, with its frames. NULL: none, or not seen. */
const struct ts_crash *ts_facts_crash(const struct ts_trace *trace, const struct ts_process_facts *process,
                                      struct ts_functions *functions);
/* The next one of this thread from *at on, with its frames; *at moves behind it. NULL: no more. */
const struct ts_crash *ts_facts_next_crash(const struct ts_trace *trace, const struct ts_process_facts *process,
                                           uint32_t thread, struct ts_functions *functions, size_t *at);

struct ts_process_facts *ts_facts_process(const struct ts_facts *facts, uint32_t number); /* NULL: none */
/* The first value of this key of the process, or of the nearest ancestor in the file that has one. NULL: none. */
const struct ts_metadata *ts_facts_metadata(const struct ts_facts *facts, const struct ts_process_facts *process,
                                            enum ts_metadata_key key);

#endif
