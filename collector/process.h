/*
 * This process as the trace file knows it. A forked child goes on in the inherited mapping as a process of its own; it
 * notices at its first event, because the page below comes wiped out of fork (or was wiped by ts_process_after_fork
 * where the kernel cannot do that).
 */
#ifndef TRACESHIM_COLLECTOR_PROCESS_H
#define TRACESHIM_COLLECTOR_PROCESS_H

#include <stdint.h>

#define TS_PROCESS_RESTS 64

/* MADV_WIPEONFORK: all zero in a forked child. */
struct ts_process_page {
    uint64_t known;                   /* this process has its number */
    uint64_t pid;                     /* of it; a vfork child, which shares the page, has another */
    void *control;                    /* window that control records go to; see control.c */
    uint64_t counts_locked;           /* see counts.c */
    uint64_t rests[TS_PROCESS_RESTS]; /* of ended threads' windows; see window.c */
};

extern struct ts_process_page *ts_process_page; /* NULL: nothing is recorded */
extern uint32_t ts_process_number;              /* in the file, from 1 */
extern uint32_t ts_process_parent;              /* number of the parent; 0: not in this file */
extern uint32_t ts_process_parent_pid;          /* 0: not known */
extern uint64_t ts_process_start;               /* clock when this process was first seen */

/* At start, in the process that makes the trace file. 0, or -1 when there is no memory. */
int ts_process_begin(uint64_t clock);

/*
 * In a forked child that is not known yet: takes a number. Signals are blocked. The caller, who may be the recorder or
 * the control writer, goes on as usual. Returns whether this was the first call in this process.
 */
int ts_process_make_known(uint64_t clock);

/* For a fork that the kernel did not wipe: called in the child before anything else is recorded. */
void ts_process_after_fork(void);

#endif
