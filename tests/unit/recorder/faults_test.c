/*
 * Every call of the kernel that start, recording, growth and fork make fails once, one after the other, and then from
 * there on. The process must live, and what is not in the file must be counted. Cannot find: faults of two calls that
 * do harm only together.
 */
#include "collector/clock.h"
#include "collector/process.h"
#include "collector/recorder.h"
#include "collector/recorder_attach.h"
#include "collector/trace_file.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"
#include "tests/unit/recorder/thread_sanitizer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(faults, .init = scene_make_directory, .fini = scene_end);

#define ALL_CALLS ((1u << FAILING_CALL_COUNT) - 1)
#define CALLS 12000u
#define DEPTH 1500u
#define CHILD_CALLS 300u
#define THREAD_CALLS 500u

static void call_many(uint64_t function, unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; i++)
        scene_call(function, depth);
}

static void *in_thread(void *context) {
    call_many(0x403000, THREAD_CALLS, 0);
    return context;
}

/* Everything that a program does to the recorder. Returns 0, or 2 when there was no trace to begin with. */
static int scenario(int full_mode) {
    char reason_text[256], note_text[512];
    struct ts_text reason = TS_TEXT_IN(reason_text), note = TS_TEXT_IN(note_text);
    struct ts_preamble preamble = {0};
    int place_refused;
    struct ts_trace_file_options options = {
        .directory = scene_directory(), .max_bytes = SCENE_BYTES_SMALL, .full_mode = full_mode};
    ts_clock_choose(1);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, "x", 1);
    if (ts_trace_file_create(&options, &preamble, &reason, &note, &place_refused) ||
        ts_recorder_begin(ts_trace_map.header->start.clock)) {
        ts_trace_map.header = NULL;
        call_many(0x401000, 10, 0);
        return 2;
    }
    call_many(0x401000, CALLS, 0);
    for (unsigned i = 0; i < DEPTH; i++)
        scene_enter(0x402000 + 16 * i, i);
    for (unsigned i = DEPTH; i-- > 0;)
        scene_exit(0x402000 + 16 * i, i);
    pthread_t thread;
    if (pthread_create(&thread, NULL, in_thread, NULL) == 0)
        pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        ts_recorder_after_fork();
        call_many(0x404000, CHILD_CALLS, 0);
        ts_recorder_end_process(TS_END_IMMEDIATE, 0);
        _exit(0);
    }
    int status = 0;
    if (child > 0 && (waitpid(child, &status, 0) != child || status))
        return 3;
    ts_recorder_end_process(TS_END_EXIT, 0);
    return ts_trace_map.header_ready ? 0 : 2;
}

static uint64_t events_made(void) {
    return 2 * (CALLS + DEPTH + THREAD_CALLS + CHILD_CALLS);
}

/* How many events are neither in the file nor counted as lost. */
static uint64_t silent_loss(const char *path) {
    struct reading *reading = reading_open(path);
    uint64_t known = 2 * reading->header->dropped_calls + 2;
    for (uint32_t thread = 1; thread <= reading->header->thread_count; thread++) {
        struct reading_counts counts = reading_count(reading, thread);
        known += counts.enters + counts.exits + counts.unwound;
    }
    for (unsigned i = 0; i < TS_LOST_SLOTS; i++)
        known += reading->header->lost_events[i];
    known += reading->header->lost_events[TS_LOST_MEMORY]; /* without a recorder an exit is no event */
    reading_close(reading);
    return known < events_made() ? events_made() - known : 0;
}

static unsigned silent;
static uint64_t first_silent, most_silent;

/* One run in a process of its own; returns how many calls were made while they could fail. */
static uint64_t run(uint64_t first, uint64_t last, unsigned calls, int error, int full_mode) {
    char path[512];
    int pipe_ends[2];
    uint64_t made = 0;
    cr_assert_eq(pipe(pipe_ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        failing_system_arm(calls, first, last, error);
        int result = scenario(full_mode);
        made = failing_system_count();
        failing_system_disarm();
        if (write(pipe_ends[1], &made, sizeof made) != sizeof made)
            result = 4;
        _exit(result);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status), "fault %llu to %llu of calls %x, errno %d: signal %d", (unsigned long long)first,
              (unsigned long long)last, calls, error, WTERMSIG(status));
    cr_assert(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2, "fault %llu: the scenario says %d",
              (unsigned long long)first, WEXITSTATUS(status));
    cr_assert_eq(read(pipe_ends[0], &made, sizeof made), sizeof made);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    snprintf(path, sizeof path, "%s/%d.trace", scene_directory(), (int)child);
    uint64_t missing = WEXITSTATUS(status) == 0 ? silent_loss(path) : 0;
    if (missing) {
        first_silent = silent++ ? first_silent : first;
        most_silent = missing > most_silent ? missing : most_silent;
    }
    unlink(path);
    return made;
}

static void fail_each(int error, int full_mode) {
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test("ThreadSanitizer makes no thread in the child of a process with threads");
    uint64_t made = run(0, 0, ALL_CALLS, error, full_mode);
    cr_assert_gt(made, 15, "%llu calls", (unsigned long long)made);
    for (uint64_t k = 1; k <= made; k++) {
        run(k, k, ALL_CALLS, error, full_mode);
        run(k, UINT64_MAX, ALL_CALLS, error, full_mode);
    }
    cr_assert_eq(silent, 0, "%u runs lost events without counting them, at most %llu; the first at fault %llu", silent,
                 (unsigned long long)most_silent, (unsigned long long)first_silent);
}

Test(faults, no_memory_ring) {
    fail_each(ENOMEM, TS_FULL_RING);
}

Test(faults, no_memory_stop) {
    fail_each(ENOMEM, TS_FULL_STOP);
}

/* As of kernels that do not know an advice. */
Test(faults, not_known) {
    fail_each(EINVAL, TS_FULL_RING);
}
