/* Recorders come and go with threads. */
#ifndef TRACESHIM_COLLECTOR_RECORDER_ATTACH_H
#define TRACESHIM_COLLECTOR_RECORDER_ATTACH_H

#include "collector/recorder.h"

/* At start, when the trace file is mapped: from now on threads may record. 0, or -1. */
int ts_recorder_begin(uint64_t clock);

/*
 * What a slow path goes on with that holds `recorder`: that one, or where it is NULL, as at the thread's first event, a
 * new one. NULL when nothing is recorded.
 */
struct ts_recorder *ts_recorder_attach(struct ts_recorder *recorder, uint64_t clock);

/* This process ends: nothing is flushed, as everything is in the file; notes how and when. */
void ts_recorder_end_process(enum ts_end_reason reason, int status);

/* In the child of a fork that the kernel did not wipe for (Linux before 4.14): makes its next event notice. */
void ts_recorder_after_fork(void);

/* Before a seccomp filter: the calling thread gets a fresh window, then no system call is made any more. */
void ts_recorder_forbid_system_calls(void);

/* Before the program locks its memory: gives back what is not used yet. */
void ts_recorder_before_lock(void);

/* The calling thread's alternate signal stack is from now on this one; 0 bytes: it has none. Signals are blocked. */
void ts_recorder_set_alternate(uint64_t low, uint64_t bytes);

/* Calls `visit` with each thread of this process that records now. Async-signal-safe. */
void ts_recorder_each_thread(void (*visit)(int tid, void *context), void *context);

/* Number of this thread in the file, 0 before its first event. */
uint32_t ts_recorder_thread_number(void);

/* The calling thread is new: that of this number made it at `clock`. Costs nothing where it records nothing. */
void ts_recorder_made_by(uint32_t thread, uint64_t clock);

#endif
