/* A forked child goes on in its parent's trace as a process of its own. Cannot find: children of vfork, and kernels
 * that do not wipe pages on fork, but for what ts_recorder_after_fork does. */
#include "collector/control.h"
#include "collector/process.h"
#include "collector/recorder.h"
#include "collector/recorder_attach.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(recorder_fork, .fini = scene_end);

#define OUTER 0x401000
#define INNER 0x402000
#define LEAF 0x403000

static void wait_for(pid_t child) {
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "the child ended with status %x", (unsigned)status);
}

/* The first window of a process that is no control window; NULL: it has none. */
static const struct ts_window_header *first_window(const struct reading *reading, uint32_t process) {
    for (size_t i = 0; i < reading->window_count; i++)
        if (reading->windows[i]->process == process && reading->windows[i]->thread)
            return reading->windows[i];
    return NULL;
}

static void check_child(const struct reading *reading, pid_t child, uint32_t parent) {
    const struct ts_window_header *window = first_window(reading, parent + 1);
    const struct ts_open_call *open = (const struct ts_open_call *)(window + 1);
    cr_assert_not_null(window);
    cr_assert_eq(window->pid, (uint32_t)child);
    cr_assert_eq(window->tid, (uint32_t)child);
    cr_assert(window->flags & TS_WINDOW_FIRST_OF_PROCESS);
    cr_assert_eq(window->previous, 0);
    cr_assert_eq(window->depth, 2, "%llu calls are inherited", (unsigned long long)window->depth);
    cr_assert_eq(window->open_count, 2);
    cr_assert_eq(open[0].address, OUTER);
    cr_assert_eq(open[1].address, INNER);
    cr_assert_eq(open[0].clock & ~UINT64_C(3), reading_find(reading, 1, READING_ENTER, 0).clock);
    cr_assert_geq(window->process_start, open[1].clock);
    cr_assert_eq(window->thread, 2);
    struct reading_counts counts = reading_count(reading, window->thread);
    cr_assert_eq(counts.enters, 1);
    cr_assert_eq(counts.exits, 3);
    cr_assert_eq(reading_check_thread(reading, window->thread), 0);

    cr_assert_eq(window->parent_process, parent);
    cr_assert_eq(window->parent_pid, (uint32_t)getpid());
    cr_assert_null(reading_find(reading, 0, TS_RECORD_PROCESS, 0).words, "its window tells who it is");
}

static void fork_inside_calls(int call_after_fork) {
    scene_enter(OUTER, 0);
    scene_enter(INNER, 1);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        if (call_after_fork)
            ts_recorder_after_fork();
        scene_call(LEAF, 2);
        scene_exit(INNER, 1);
        scene_exit(OUTER, 0);
        _exit(0);
    }
    wait_for(child);
    scene_call(LEAF, 2);
    scene_exit(INNER, 1);
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading->header->process_count, 2);
    check_child(reading, child, 1);
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 3);
    cr_assert_eq(counts.exits, 3);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

Test(recorder_fork, child_inherits_the_open_calls) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    fork_inside_calls(0);
}

Test(recorder_fork, also_where_the_fork_is_interposed) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    fork_inside_calls(1);
}

Test(recorder_fork, also_where_the_kernel_does_not_wipe) {
    failing_system_arm(1u << FAILING_MADVISE, 2, 2, 22); /* 1 is the trial of populating, 2 the process page */
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    cr_assert_geq(failing_system_count(), 2);
    failing_system_arm(1u << FAILING_MADVISE, 1, 1, 22); /* the cursors */
    fork_inside_calls(1);
}

Test(recorder_fork, child_whose_first_event_is_an_exit) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    pid_t child = fork();
    if (child == 0) {
        scene_exit(OUTER, 0);
        _exit(0);
    }
    wait_for(child);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 2);
    cr_assert_eq(counts.exits, 1);
    cr_assert_eq(counts.enters, 0);
    cr_assert_eq(reading_check_thread(reading, 2), 0);
    cr_assert_eq(reading_check_thread(reading, 1), 1, "the parent's call is still open");
    reading_close(reading);
}

Test(recorder_fork, child_that_records_nothing_is_not_known) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    wait_for(child);
    cr_assert_eq(ts_trace_map.header->process_count, 1);
}

Test(recorder_fork, a_fact_makes_the_child_known_before_its_first_call) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    pid_t child = fork();
    if (child == 0) {
        ts_recorder_end_process(TS_END_EXIT, 1); /* not known: nothing to end */
        struct ts_record_fork record = {.child_pid = 77};
        ts_control_write(TS_RECORD_FORK, &record, sizeof record, NULL, 0, NULL, 0);
        scene_exit(OUTER, 0);
        ts_recorder_end_process(TS_END_EXIT, 9);
        _exit(0);
    }
    wait_for(child);
    struct reading *reading = reading_open(scene_trace());
    struct reading_event event = reading_find(reading, 0, TS_RECORD_PROCESS, 0);
    cr_assert_not_null(event.words);
    const struct ts_record_process *process = (const struct ts_record_process *)event.words;
    cr_assert_eq(process->pid, (uint32_t)child);
    cr_assert_eq(process->parent_pid, (uint32_t)getpid());
    cr_assert_eq(process->process, 2);
    cr_assert_eq(process->parent_process, 1);
    cr_assert_null(reading_find(reading, 0, TS_RECORD_PROCESS, 1).words, "the child is made known twice");
    const struct ts_window_header *window = first_window(reading, 2);
    cr_assert_eq(window->process_end_reason, TS_END_EXIT);
    cr_assert_eq(window->process_end_status, 9);
    cr_assert_geq(window->process_end_clock, window->clock);
    cr_assert(window->flags & TS_WINDOW_CLOSED);
    cr_assert_null(reading_find(reading, 0, TS_RECORD_PROCESS_END, 0).words, "the child ends twice");
    cr_assert_eq(reading->header->end_reason, TS_END_NOT_SEEN, "the child's end is not its parent's");
    cr_assert_eq(reading_check_thread(reading, 2), 0);
    reading_close(reading);
}

Test(recorder_fork, a_child_without_calls_ends_by_a_record) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    pid_t child = fork();
    if (child == 0) {
        struct ts_record_fork record = {.child_pid = 77};
        ts_control_write(TS_RECORD_FORK, &record, sizeof record, NULL, 0, NULL, 0);
        ts_recorder_end_process(TS_END_IMMEDIATE, 4);
        _exit(0);
    }
    wait_for(child);
    struct reading *reading = reading_open(scene_trace());
    struct reading_event event = reading_find(reading, 0, TS_RECORD_PROCESS_END, 0);
    cr_assert_not_null(event.words);
    const struct ts_record_process_end *end = (const struct ts_record_process_end *)event.words;
    cr_assert_eq(end->process, 2);
    cr_assert_eq(end->reason, TS_END_IMMEDIATE);
    cr_assert_eq(end->status, 4);
    reading_close(reading);
}

Test(recorder_fork, the_end_of_the_first_process_is_in_the_header) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_call(OUTER, 0);
    ts_recorder_end_process(TS_END_QUICK_EXIT, 5);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading->header->end_reason, TS_END_QUICK_EXIT);
    cr_assert_eq(reading->header->end_status, 5);
    cr_assert_geq(reading->header->end.clock, reading_find(reading, 1, READING_EXIT, 0).clock);
    reading_close(reading);
}

Test(recorder_fork, generations) {
    enum { GENERATIONS = 12 };
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    unsigned generation = 1;
    for (; generation <= GENERATIONS; generation++) {
        pid_t child = fork();
        if (child) {
            int status;
            if (waitpid(child, &status, 0) != child || status)
                _exit(1);
            break;
        }
        scene_enter(LEAF + 16 * generation, generation);
    }
    if (generation > 1)
        _exit(0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading->header->process_count, 1 + GENERATIONS);
    for (uint32_t process = 2; process <= 1 + GENERATIONS; process++) {
        const struct ts_window_header *window = first_window(reading, process);
        cr_assert_not_null(window);
        cr_assert_eq(window->depth, process - 1);
        cr_assert_eq(window->parent_process, process - 1);
    }
    reading_close(reading);
}

static volatile int stop;

static void *record_until_stopped(void *context) {
    unsigned *calls = context;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        scene_call(LEAF, 0);
        ++*calls;
    }
    return NULL;
}

/* The child of a process with threads: their recorders are free in it, and its events are not in their windows. */
Test(recorder_fork, threads_of_the_parent_are_not_the_childs) {
    pthread_t threads[2];
    unsigned calls[2] = {0};
    scene_begin(4 * SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, record_until_stopped, &calls[i]), 0);
    for (unsigned i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (unsigned call = 0; call < 2000; call++)
                scene_call(INNER, 1);
            _exit(0);
        }
        wait_for(child);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    uint64_t made = 0, present = 0;
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
        made += calls[i];
    }
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading->header->process_count, 11);
    cr_assert_eq(reading->header->lost_events[TS_LOST_FULL], 0);
    for (uint32_t thread = 1; thread <= reading->header->thread_count; thread++) {
        reading_check_thread(reading, thread);
        struct reading_counts counts = reading_count(reading, thread);
        present += reading_calls_below(reading, thread, LEAF, 0);
        cr_assert(counts.enters != 2000 || reading_calls_below(reading, thread, INNER, OUTER) == 2000);
    }
    cr_assert_eq(present, made);
    reading_close(reading);
}
