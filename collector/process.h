/*
 * This process as the trace file knows it. A forked child goes on in the inherited mapping as a process of its own; it
 * notices at its first event, because some memory comes wiped out of fork (or was wiped by ts_process_after_fork
 * where the kernel cannot do that).
 */
#ifndef TRACESHIM_COLLECTOR_PROCESS_H
#define TRACESHIM_COLLECTOR_PROCESS_H

#include <stdint.h>

#define TS_PROCESS_RESTS 64

/* Lies in memory that is all zero in a forked child (MADV_WIPEONFORK). */
struct ts_process_fresh {
    uint64_t known;                   /* this process has its number */
    uint64_t pid;                     /* of it; a vfork child, which shares the memory, has another */
    void *control;                    /* window that control records go to; see control.c */
    uint64_t counts_locked;           /* see counts.c */
    uint64_t finished_pid;            /* whose end was recorded; see preload/finish.c */
    uint64_t rests[TS_PROCESS_RESTS]; /* of ended threads' windows; see window.c */
};

/* In a forked child those of its parent until it is known. */
struct ts_process {
    uint32_t number;      /* in the file, from 1; 0: nothing is recorded */
    uint32_t parent;      /* number of the parent; 0: not in this file */
    uint32_t parent_pid;  /* 0: not known */
    uint32_t paused;      /* recording is: see recorder_pause.h */
    uint64_t start;       /* clock when this process was first seen */
    uint64_t pause_clock; /* when the newest pause began */
};

extern struct ts_process_fresh *ts_process_fresh; /* NULL: nothing is recorded */
extern struct ts_process *ts_process;

/* Zeroed memory for both: each page that a child writes to costs it a page fault, so these share theirs with others. */
struct ts_process_memory {
    struct ts_process_fresh *fresh;
    struct ts_process *process;
};

/* At start, in the process that makes the trace file. Keeps the memory. */
void ts_process_begin(const struct ts_process_memory *memory, uint64_t clock);

/*
 * In a forked child that is not known yet: takes a number. Signals are blocked. The caller, who may be the recorder or
 * the control writer, goes on as usual. Returns whether this was the first call in this process.
 */
int ts_process_make_known(uint64_t clock);

/* For a fork that the kernel did not wipe: called in the child before anything else is recorded. */
void ts_process_after_fork(void);

#endif
