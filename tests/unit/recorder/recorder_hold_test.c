/*
 * A signal that the kernel forces, at instructions all over the recorder's slow paths, by the processor's trap
 * flag: its handler is instrumented, and returns or jumps away. What it calls there is not recorded, but counted.
 */
#include "collector/recorder_hook.h"
#include "collector/recorder_private.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"
#include "tests/unit/recorder/stepping.h"
#include "tests/unit/recorder/thread_sanitizer.h"

#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

TestSuite(recorder_hold, .fini = scene_end);

#if defined(__x86_64__)

/*
 * The first instructions, of the hot path, are all chosen, and of those behind them so many: to each the way is stepped
 * from the beginning, a signal an instruction.
 */
#ifdef __SANITIZE_ADDRESS__
#define ALL_OF_THE_FIRST 200u
#else
#define ALL_OF_THE_FIRST 80u
#endif
#define POINTS 16u
#define MOST_STEPS 20000
enum { OUTER = 0x10000, INNER = 0x20000, HANDLER = 0x30000, BELOW_HANDLER = 0x40000 };

static sigjmp_buf restart;
static volatile unsigned step, at, handled;
static volatile enum half { ENTERING, LEAVING } half;
static volatile int jumps, with_values;

/* Its frames are below those of the hooks that it interrupts. */
static void on_trap(int signal, siginfo_t *info, void *context) {
    ucontext_t *user = context;
    uint64_t here = (uint64_t)__builtin_frame_address(0) - 1024;
    (void)signal, (void)info;
    if (++step != at)
        return;
    user->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    handled++;
    scene_enter_at(HANDLER, 0x600, here, ts_clock_now(), 0, 0);
    scene_enter_at(BELOW_HANDLER, 0x600, here - 64, ts_clock_now(), 0, 0);
    scene_exit_at(BELOW_HANDLER, here - 64, ts_clock_now(), 0);
    if (jumps)
        siglongjmp(restart, 1);
    scene_exit_at(HANDLER, here, ts_clock_now(), 0);
}

enum path { NEW_TIME, NEW_WINDOW, FULL_WINDOW };

static void prepare(enum path path) {
    struct ts_recorder *recorder = ts_this_recorder;
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    recorder->windows = 0; /* the next one is small */
    if (path == NEW_TIME)
        recorder->epoch = 0;
    else if (path == NEW_WINDOW)
        ts_recorder_end_window(recorder, ts_clock_now(), 0);
    else if (path == FULL_WINDOW && cursor->base)
        cursor->limit = cursor->next - cursor->base;
}

__attribute__((noinline)) static void calls(enum path path) {
    uint64_t frame = (uint64_t)__builtin_frame_address(0) - 64;
    scene_enter_at(OUTER, 0x500, frame, ts_clock_now(), 0, 0);
    prepare(path);
    if (half == ENTERING)
        stepping_begin();
    stepping_enter(INNER, frame - 16, with_values);
    stepping_end();
    prepare(path);
    if (half == LEAVING)
        stepping_begin();
    stepping_exit(INNER, frame - 16, with_values);
    stepping_end();
    scene_exit_at(OUTER, frame, ts_clock_now(), 0);
}

/* At one instruction after the other, until the calls are over before its turn. Returns how often they were made. */
static unsigned step_through(enum path path, enum half through) {
    volatile unsigned steps = 0, next = 1, stride, before;
    half = through;
    calls(NEW_TIME);
    at = step = 0;
    calls(path);
    stride = step / POINTS | 1;
    do {
        before = handled;
        at = next;
        next += next < ALL_OF_THE_FIRST ? 1 : stride;
        step = 0;
        if (sigsetjmp(restart, 1) == 0)
            calls(path);
        steps++;
    } while (handled != before && steps < MOST_STEPS);
    at = MOST_STEPS;
    stepping_end();
    calls(NEW_TIME); /* what a jump left dead ends here */
    return steps + 3;
}

static void run(enum path path, int with_jumps, int hooked) {
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO}, old;
    sigset_t blocked;
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test("ThreadSanitizer delivers signals later");
    scene_begin(UINT64_C(256) << 20, TS_FULL_STOP);
    jumps = with_jumps;
    with_values = hooked;
    cr_assert_eq(sigaction(SIGTRAP, &action, &old), 0);
    unsigned times = step_through(path, ENTERING) + step_through(path, LEAVING);
    cr_assert_lt(times, MOST_STEPS);
    cr_assert_gt(times, ALL_OF_THE_FIRST, "only %u instructions", times);
    cr_assert_eq(sigprocmask(SIG_BLOCK, NULL, &blocked), 0);
    cr_assert_not(sigismember(&blocked, SIGTERM), "signals stay blocked");

    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    uint64_t lost = reading->header->lost_events[TS_LOST_HANDLER];
    cr_assert_gt(lost, 0, "no handler came in a slow path");
    cr_assert_eq(scene_shadow_depth(), 0);
    if (!with_jumps) {
        cr_assert_eq(counts.pending, 0);
        uint64_t all = 2 * (2 * (uint64_t)times) + 4 * (uint64_t)handled;
        cr_assert_eq(counts.enters + counts.exits + lost, all, "%llu of %llu events, and %llu lost",
                     (unsigned long long)(counts.enters + counts.exits), (unsigned long long)all,
                     (unsigned long long)lost);
        cr_assert_eq(reading->header->misnested, 0);
        cr_assert_eq(reading_check_thread(reading, 1), 0);
    }
    reading_close(reading);
}

Test(recorder_hold, a_handler_that_returns_while_the_time_is_written) {
    run(NEW_TIME, 0, 0);
}

Test(recorder_hold, a_handler_that_returns_while_a_window_is_taken) {
    run(NEW_WINDOW, 0, 0);
}

Test(recorder_hold, a_handler_that_returns_while_a_full_window_is_left) {
    run(FULL_WINDOW, 0, 0);
}

Test(recorder_hold, a_handler_that_returns_while_a_window_is_taken_for_a_hooked_call) {
    run(NEW_WINDOW, 0, 1);
}

Test(recorder_hold, a_handler_that_returns_while_a_full_window_is_left_by_a_hooked_call) {
    run(FULL_WINDOW, 0, 1);
}

Test(recorder_hold, a_handler_that_jumps_away_while_the_time_is_written) {
    run(NEW_TIME, 1, 0);
}

Test(recorder_hold, a_handler_that_jumps_away_while_a_window_is_taken) {
    run(NEW_WINDOW, 1, 0);
}

Test(recorder_hold, a_handler_that_jumps_away_while_a_full_window_is_left) {
    run(FULL_WINDOW, 1, 0);
}

#endif
