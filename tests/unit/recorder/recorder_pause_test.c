/*
 * Recording pauses and goes on: nothing is written in between, nothing is counted as lost, and the next window says
 * which calls are open. Also at each instruction of the hot path, by the processor's trap flag. Cannot find: what the
 * signal's handler does besides (tests/e2e/28*).
 */
#include "collector/recorder_attach.h"
#include "collector/recorder_hook.h"
#include "collector/recorder_pause.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"
#include "tests/unit/recorder/stepping.h"
#include "tests/unit/recorder/thread_sanitizer.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

TestSuite(recorder_pause, .fini = scene_end);

enum { OUTER = 0x10000, INNER = 0x20000, LEAF = 0x30000, UNSEEN = 0x40000 };

static void check_nothing_lost(const struct reading *reading) {
    for (unsigned i = 0; i < TS_LOST_SLOTS; i++)
        cr_assert_eq(reading->header->lost_events[i], 0, "%llu events lost, reason %u",
                     (unsigned long long)reading->header->lost_events[i], i);
    cr_assert_eq(reading->header->misnested, 0);
}

static uint64_t enters_of(const struct reading *reading, uint32_t thread, uint64_t function) {
    uint64_t count = 0;
    for (unsigned n = 0;; n++) {
        struct reading_event event = reading_find(reading, thread, READING_ENTER, n);
        if (!event.window)
            return count;
        count += event.address == function;
    }
}

static const struct ts_open_call *open_calls(const struct ts_window_header *window) {
    return (const struct ts_open_call *)(window + 1);
}

Test(recorder_pause, what_is_called_in_a_pause_is_not_written_and_what_is_open_behind_it_is_named) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    scene_enter(LEAF, 1);
    ts_recorder_toggle();
    uint64_t used = ts_trace_map.header->next_block;
    for (unsigned i = 0; i < 100000; i++)
        scene_call(UNSEEN, 2);
    scene_exit(LEAF, 1);
    uint64_t before = ts_clock_now();
    scene_enter(INNER, 1);
    uint64_t after = ts_clock_now();
    cr_assert_eq(ts_trace_map.header->next_block, used, "the trace has grown in the pause");
    ts_recorder_toggle();
    scene_call(LEAF, 2);
    scene_exit(INNER, 1);
    scene_exit(OUTER, 0);

    struct reading *reading = reading_open(scene_trace());
    check_nothing_lost(reading);
    cr_assert_eq(enters_of(reading, 1, UNSEEN), 0);
    struct reading_event resume = reading_find(reading, 1, TS_RECORD_RESUME, 0);
    cr_assert_not_null(resume.words);
    const struct ts_window_header *window = resume.window;
    cr_assert_eq(window->depth, 2);
    cr_assert_eq(window->open_count, 2);
    cr_assert_eq(window->lowest_depth, 0);
    cr_assert_eq(open_calls(window)[0].address, OUTER);
    cr_assert_eq(open_calls(window)[1].address, INNER);
    cr_assert(open_calls(window)[1].clock >= before && open_calls(window)[1].clock <= after);
    const struct ts_window_header *last = reading_find(reading, 1, READING_ENTER, 0).window;
    cr_assert_eq(last->flags, TS_WINDOW_CLOSED | TS_WINDOW_PAUSED);
    cr_assert_eq(
        last->end_clock,
        reading_u64(((const struct ts_record_pause *)reading_find(reading, 0, TS_RECORD_PAUSE, 0).words)->clock));
    cr_assert_eq(last->end_depth, 2);
    cr_assert_eq(window->offset, last->offset + last->bytes, "the rest of the window is not used");
    cr_assert_not_null(reading_find(reading, 0, TS_RECORD_RESUME, 0).words);
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 3);
    cr_assert_eq(counts.exits, 3);
    cr_assert_eq(scene_shadow_depth(), 0);
    reading_close(reading);
}

Test(recorder_pause, a_thread_without_an_event_in_the_pause_goes_on_in_its_window) {
    scene_begin(SCENE_BYTES, TS_FULL_RING);
    scene_enter(OUTER, 0);
    for (unsigned i = 0; i < 1000; i++) {
        ts_recorder_toggle();
        ts_recorder_toggle();
        scene_call(LEAF, 1);
    }
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    check_nothing_lost(reading);
    cr_assert_eq(reading_count(reading, 1).windows, 1);
    cr_assert_eq(enters_of(reading, 1, LEAF), 1000);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

Test(recorder_pause, many_pauses_take_little_room) {
    scene_begin(SCENE_BYTES, TS_FULL_RING);
    scene_enter(OUTER, 0);
    for (unsigned i = 0; i < 2000; i++) {
        scene_call(LEAF, 1);
        ts_recorder_toggle();
        scene_call(UNSEEN, 1);
        ts_recorder_toggle();
    }
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    check_nothing_lost(reading);
    cr_assert_eq(enters_of(reading, 1, LEAF), 2000);
    cr_assert_eq(enters_of(reading, 1, UNSEEN), 0);
    cr_assert_lt(reading->header->next_block, reading->header->first_block + 5, "%llu blocks",
                 (unsigned long long)reading->header->next_block);
    reading_close(reading);
}

Test(recorder_pause, what_begins_paused_writes_nothing_until_it_goes_on) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    ts_recorder_begin_paused(ts_trace_map.header->start.clock);
    scene_enter(OUTER, 0);
    scene_call(UNSEEN, 1);
    cr_assert_eq(ts_trace_map.header->window_sequence, 0);
    ts_recorder_toggle();
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    check_nothing_lost(reading);
    struct reading_event resume = reading_find(reading, 1, TS_RECORD_RESUME, 0);
    cr_assert_not_null(resume.words);
    cr_assert_eq(resume.window->depth, 1);
    cr_assert_eq(open_calls(resume.window)[0].address, OUTER);
    cr_assert_eq(reading_count(reading, 1).exits, 1);
    reading_close(reading);
}

Test(recorder_pause, a_full_trace_loses_nothing_more_in_a_pause) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_STOP);
    while (!ts_trace_map.header->lost_events[TS_LOST_FULL])
        scene_call(LEAF, 0);
    ts_recorder_toggle();
    uint64_t lost = ts_trace_map.header->lost_events[TS_LOST_FULL];
    scene_call(UNSEEN, 0);
    cr_assert_eq(ts_trace_map.header->lost_events[TS_LOST_FULL], lost);
    ts_recorder_toggle();
    scene_call(LEAF, 0);
    cr_assert_eq(ts_trace_map.header->lost_events[TS_LOST_FULL], lost + 2);
}

Test(recorder_pause, a_forked_child_inherits_the_pause) {
    int status;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    ts_recorder_toggle();
    scene_call(UNSEEN, 1);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        uint64_t sequence = ts_trace_map.header->window_sequence;
        scene_enter(INNER, 1);
        if (ts_trace_map.header->window_sequence != sequence)
            _exit(1);
        ts_recorder_toggle();
        scene_call(LEAF, 2);
        scene_exit(INNER, 1);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    scene_call(UNSEEN, 1);
    ts_recorder_toggle();
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    check_nothing_lost(reading);
    cr_assert_eq(enters_of(reading, 1, UNSEEN), 0);
    struct reading_event resume = reading_find(reading, 2, TS_RECORD_RESUME, 0);
    cr_assert_not_null(resume.words);
    cr_assert_eq(resume.window->depth, 2);
    cr_assert_eq(open_calls(resume.window)[1].address, INNER);
    cr_assert_eq(enters_of(reading, 2, LEAF), 1);
    reading_close(reading);
}

/* Blocks that someone writes to, in the whole file. */
static uint64_t writers(void) {
    uint64_t count = 0;
    for (uint64_t block = ts_trace_map.first_block; block < ts_trace_map.block_count; block++)
        count += ts_trace_map.block_table[block];
    return count;
}

Test(recorder_pause, a_forked_child_that_ends_in_a_pause_leaves_its_block_to_the_ring) {
    int status;
    scene_begin(SCENE_BYTES, TS_FULL_RING);
    scene_call(OUTER, 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        scene_call(LEAF, 0);
        uint64_t before = writers();
        ts_process->paused = 1; /* as a toggle does, but for the control window that tells of it */
        TS_CURSOR_OF(ts_this_recorder)->limit = 0;
        scene_call(UNSEEN, 0);
        if (writers() != before)
            _exit(1);
        ts_recorder_end_process(TS_END_IMMEDIATE, 0); /* which takes a control window for its record */
        _exit(writers() == before ? 0 : 2);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "status %x", (unsigned)status);
}

Test(recorder_pause, it_goes_on_where_system_calls_are_forbidden) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(OUTER, 0);
    ts_recorder_forbid_system_calls();
    ts_recorder_toggle();
    scene_call(UNSEEN, 1);
    ts_recorder_toggle();
    scene_call(LEAF, 1);
    scene_exit(OUTER, 0);
    ts_system_forbidden = 0;
    struct reading *reading = reading_open(scene_trace());
    check_nothing_lost(reading);
    cr_assert_eq(enters_of(reading, 1, UNSEEN), 0);
    cr_assert_eq(enters_of(reading, 1, LEAF), 1);
    reading_close(reading);
}

enum { THREADS = 4, TOGGLES = 2000, DEEP = 5 };
static int stop;

static void *hammer(void *context) {
    (void)context;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        for (unsigned depth = 0; depth < DEEP; depth++)
            scene_enter(OUTER + depth, depth);
        for (unsigned depth = DEEP; depth-- > 0;)
            scene_exit(OUTER + depth, depth);
    }
    return NULL;
}

/* Each window's header and its records agree on what is open: no record is lost or written twice. */
static void check_balance(const struct reading *reading, uint32_t thread) {
    uint64_t depth = 0;
    const struct ts_window_header *window = NULL;
    for (size_t i = 0; i < reading->window_count; i++) {
        if (reading->windows[i]->thread != thread)
            continue;
        window = reading->windows[i];
        const uint32_t *at = (const uint32_t *)((const uint8_t *)window + window->records);
        const uint32_t *end =
            (const uint32_t *)((const uint8_t *)window +
                               (window->flags & TS_WINDOW_CLOSED ? window->end_bytes : window->bytes));
        for (depth = window->depth; at < end;) {
            uint32_t kind = *at & 3;
            depth += kind == TS_KIND_ENTER;
            cr_assert(kind != TS_KIND_EXIT || depth > 0, "an exit without a call");
            depth -= kind == TS_KIND_EXIT;
            cr_assert(!*at || kind != TS_KIND_PENDING);
            at += kind == TS_KIND_ENTER ? 2 : kind == TS_KIND_TAGGED ? TS_HEAD_WORDS(*at) : 1;
        }
        if (window->flags & TS_WINDOW_CLOSED)
            cr_assert_eq(depth, window->end_depth);
    }
}

Test(recorder_pause, threads_that_call_while_others_toggle, .timeout = 60) {
    pthread_t threads[THREADS];
    scene_begin(UINT64_C(1) << 30, TS_FULL_RING);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, hammer, NULL), 0);
    for (unsigned i = 0; i < TOGGLES; i++) {
        ts_recorder_toggle();
        if (i % 4 == 0)
            sched_yield();
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct reading *reading = reading_open(scene_trace());
    check_nothing_lost(reading);
    for (unsigned thread = 1; thread <= reading->header->thread_count; thread++)
        check_balance(reading, thread);
    reading_close(reading);
}

#if defined(__x86_64__)

#define MOST_STEPS 3000
/* To each instruction the way is stepped from the beginning: with checks between them, which are many, only to some. */
#ifdef __SANITIZE_ADDRESS__
#define STRIDE 9u
#else
#define STRIDE 1u
#endif

static volatile unsigned step, at, toggled;
static volatile int with_values, times, calls_too;

/* Toggles, and calls, before the chosen instruction; what is called lies below the frames that it interrupts. */
static void on_trap(int signal, siginfo_t *info, void *context) {
    ucontext_t *user = context;
    uint64_t here = (uint64_t)__builtin_frame_address(0) - 1024;
    (void)signal, (void)info;
    if (++step != at)
        return;
    user->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    toggled++;
    for (int i = 0; i < times; i++) {
        ts_recorder_toggle();
        if (calls_too) {
            scene_enter_at(LEAF, 0x600, here, ts_clock_now(), 0, 0);
            scene_exit_at(LEAF, here, ts_clock_now(), 0);
        }
    }
}

__attribute__((noinline)) static void calls(void) {
    uint64_t frame = (uint64_t)__builtin_frame_address(0) - 64;
    scene_enter_at(OUTER, 0x500, frame, ts_clock_now(), 0, 0);
    stepping_begin();
    stepping_enter(INNER, frame - 16, with_values);
    stepping_exit(INNER, frame - 16, with_values);
    stepping_end();
    scene_exit_at(OUTER, frame, ts_clock_now(), 0);
    if (times % 2 && ts_recorder_pauses())
        ts_recorder_toggle();
}

static void step_through(int toggles, int and_calls, int hooked) {
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    unsigned steps = 0, before;
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test("ThreadSanitizer delivers signals later");
    scene_begin(UINT64_C(256) << 20, TS_FULL_STOP);
    times = toggles;
    calls_too = and_calls;
    with_values = hooked;
    cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
    at = MOST_STEPS;
    calls();
    do {
        before = toggled;
        at = steps++ * STRIDE + 1;
        step = 0;
        calls();
        cr_assert_eq(scene_shadow_depth(), 0, "at instruction %u", at);
    } while (toggled != before && steps < MOST_STEPS);
    cr_assert_lt(steps, MOST_STEPS);
    cr_assert_gt(steps, 60, "only %u instructions", steps);

    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading->header->misnested, 0);
    cr_assert_eq(reading_count(reading, 1).pending, 0);
    for (unsigned i = 0; i < TS_LOST_SLOTS; i++)
        if (i != TS_LOST_HANDLER) /* of calls in the middle of a slow path */
            cr_assert_eq(reading->header->lost_events[i], 0, "%llu lost of reason %u in %u steps",
                         (unsigned long long)reading->header->lost_events[i], i, steps);
    if (!with_values)
        check_balance(reading, 1);
    struct reading_counts counts = reading_count(reading, 1);
    if (times == 2 && !and_calls) { /* nothing was called in a pause */
        cr_assert_eq(counts.enters, 2 * (steps + 1));
        cr_assert_eq(counts.exits, counts.enters);
        cr_assert_eq(reading_check_thread(reading, 1), 0);
    }
    reading_close(reading);
}

Test(recorder_pause, beginning_at_each_instruction) {
    step_through(1, 0, 0);
}

Test(recorder_pause, beginning_at_each_instruction_with_calls_of_the_handler) {
    step_through(1, 1, 0);
}

Test(recorder_pause, coming_and_going_at_each_instruction) {
    step_through(2, 0, 0);
}

Test(recorder_pause, coming_and_going_at_each_instruction_with_calls_of_the_handler) {
    step_through(2, 1, 0);
}

Test(recorder_pause, beginning_at_each_instruction_of_a_hooked_call) {
    step_through(1, 0, 1);
}

Test(recorder_pause, beginning_at_each_instruction_of_a_hooked_call_with_calls_of_the_handler) {
    step_through(1, 1, 1);
}

Test(recorder_pause, coming_and_going_at_each_instruction_of_a_hooked_call) {
    step_through(2, 0, 1);
}

Test(recorder_pause, coming_and_going_at_each_instruction_of_a_hooked_call_with_calls_of_the_handler) {
    step_through(2, 1, 1);
}

#endif
