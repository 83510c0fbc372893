/*
 * A signal handler at each single instruction of the hooks' hot path, by the processor's trap flag; the handler is
 * instrumented, takes new windows while the hook below it has a record reserved, and returns or jumps away.
 */
#include "collector/recorder_hook.h"
#include "preload/function_filter.h"
#include "preload/instrument.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"
#include "tests/unit/recorder/stepping.h"
#include "tests/unit/recorder/thread_sanitizer.h"

#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

TestSuite(recorder_step, .fini = scene_end);

#if defined(__x86_64__)

#define MOST_STEPS 2000
/* To each instruction the way is stepped from the beginning: with checks between them, which are many, only to some. */
#ifdef __SANITIZE_ADDRESS__
#define STRIDE 11u
#else
#define STRIDE 1u
#endif
/* More than a block of SCENE_BYTES_SMALL holds. */
#define CALLS_OF_A_WINDOW 6000

enum ending { RETURNS, JUMPS };

static struct ts_instrument_hooks hooks;
static sigjmp_buf restart;
static volatile unsigned step, at, heavy, light, leaves, middles, inners;
static volatile enum ending ending;
static volatile int light_before, again, hooked;
static void leaf(void);

#define ENTER(function) hooks.enter((void *)(function), __builtin_return_address(0))
#define LEAVE(function) hooks.exit((void *)(function), __builtin_return_address(0))

__attribute__((noinline)) static void inner(void) {
    ENTER(inner);
    inners++;
    LEAVE(inner);
}

__attribute__((noinline)) static void light_work(void) {
    ENTER(light_work);
    light++;
    LEAVE(light_work);
}

__attribute__((noinline)) static void heavy_work(void) {
    ENTER(heavy_work);
    heavy++;
    for (unsigned i = 0; i < CALLS_OF_A_WINDOW; i++)
        inner();
    if (ending == JUMPS)
        siglongjmp(restart, 1);
    LEAVE(heavy_work);
}

/* A slow path blocks signals, and a blocked trap kills. It is taken by chance, as the clock and the window have it. */
static int is_slow_path(uint64_t instruction) {
    return instruction == (uint64_t)ts_recorder_enter_slow || instruction == (uint64_t)ts_recorder_exit_slow ||
           instruction == (uint64_t)ts_recorder_enter_full || instruction == (uint64_t)ts_recorder_exit_full ||
           instruction == (uint64_t)ts_recorder_stack_end;
}

static void on_trap(int signal, siginfo_t *info, void *context) {
    ucontext_t *user = context;
    (void)signal, (void)info;
    if (is_slow_path((uint64_t)user->uc_mcontext.gregs[REG_RIP])) {
        user->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        again = 1;
        return;
    }
    step++;
    if (light_before && step + 1 == at)
        light_work();
    if (step < at)
        return;
    user->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    heavy_work();
}

/* A hooked call, with arguments and a result. */
static void hooked_leaf(uint64_t cfa) {
    uint32_t arguments[] = {(uint32_t)(uint64_t)leaf, (uint32_t)((uint64_t)leaf >> 32), 7, 0, 0, 9, 0};
    uint32_t result[] = {0, 5, 0, 0};
    ts_recorder_hook_enter((uint64_t)leaf, 1, cfa, cfa - 64, ts_clock_now(),
                           &(struct ts_record_values){arguments, sizeof arguments / 4});
    leaves++;
    ts_recorder_hook_exit((uint64_t)leaf, cfa, ts_clock_now(), &(struct ts_record_values){result, sizeof result / 4});
}

__attribute__((noinline)) static void leaf(void) {
    if (hooked) {
        hooked_leaf((uint64_t)__builtin_frame_address(0) + 16);
        return;
    }
    ENTER(leaf);
    leaves++;
    LEAVE(leaf);
}

__attribute__((noinline)) static void middle(void) {
    ENTER(middle);
    middles++;
    leaf();
    stepping_begin();
    leaf();
    stepping_end();
    leaf();
    LEAVE(middle);
}

/* The handler at one instruction after the other, until the calls are over before its turn. */
static unsigned step_through(enum ending with, int a_light_one_before, int limited, int wide) {
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    volatile unsigned steps = 0, before;
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test("ThreadSanitizer delivers signals later");
    scene_begin(UINT64_C(256) << 20, TS_FULL_STOP);
    hooks = ts_instrument_choose(ts_clock_source, limited, wide);
    ts_recorder_limits.duration_ticks = limited ? UINT64_C(1) << 40 : 0; /* takes back every call that calls nothing */
    ending = with;
    light_before = a_light_one_before;
    cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
    at = MOST_STEPS;
    for (unsigned i = 0; i < CALLS_OF_A_WINDOW; i++)
        leaf(); /* the windows are full-sized and the paths hot */
    do {
        before = heavy;
        at = steps * STRIDE + 1;
        for (unsigned tries = 0; tries < 10; tries++) {
            step = again = 0;
            if (sigsetjmp(restart, 1) == 0)
                middle();
            if (!again)
                break;
        }
        cr_assert_not(again);
        steps++;
    } while (heavy != before && steps < MOST_STEPS);
    at = MOST_STEPS;
    middle(); /* what a jump left dead ends here */
    cr_assert_lt(steps, MOST_STEPS);
    cr_assert_gt(steps, 50 / STRIDE, "only %u instructions", steps);
    return steps - 1;
}

static void check(uint64_t calls, uint64_t unwound) {
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    for (unsigned i = 0; i < TS_LOST_SLOTS; i++)
        cr_assert_eq(reading->header->lost_events[i], 0);
    cr_assert_eq(counts.pending, 0);
    cr_assert_eq(reading->header->misnested, 0);
    if (calls)
        cr_assert_eq(counts.enters, calls, "%llu calls, %llu in the file", (unsigned long long)calls,
                     (unsigned long long)counts.enters);
    cr_assert_eq(counts.enters, counts.exits + counts.unwound);
    if (!unwound)
        cr_assert_eq(counts.unwound, 0);
    cr_assert_eq(scene_shadow_depth(), 0);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    if (!ts_recorder_limits.duration_ticks)
        cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)inner, (uint64_t)heavy_work), inners);
    reading_close(reading);
}

Test(recorder_step, a_handler_that_returns) {
    step_through(RETURNS, 0, 0, 0);
    check(leaves + middles + heavy + inners, 0);
}

Test(recorder_step, two_handlers_at_neighbouring_instructions) {
    step_through(RETURNS, 1, 0, 0);
    check(leaves + middles + heavy + inners + light, 0);
}

Test(recorder_step, a_handler_that_jumps_away) {
    unsigned steps = step_through(JUMPS, 0, 0, 0);
    cr_assert_eq(heavy, steps);
    check(0, 1);
}

Test(recorder_step, one_that_returns_and_one_that_jumps_away) {
    step_through(JUMPS, 1, 0, 0);
    check(0, 1);
}

Test(recorder_step, records_with_wide_addresses) {
    step_through(RETURNS, 1, 0, 1);
    check(leaves + middles + heavy + inners + light, 0);
}

Test(recorder_step, jumping_out_of_those) {
    step_through(JUMPS, 0, 0, 1);
    check(0, 1);
}

Test(recorder_step, hooked_calls_with_values) {
    hooked = 1;
    step_through(RETURNS, 1, 0, 0);
    check(leaves + middles + heavy + inners + light, 0);
}

Test(recorder_step, jumping_out_of_hooked_calls) {
    hooked = 1;
    step_through(JUMPS, 0, 0, 0);
    check(0, 1);
}

Test(recorder_step, records_that_are_taken_back) {
    step_through(RETURNS, 1, 1, 0);
    check(0, 0);
}

Test(recorder_step, jumping_out_of_those_too) {
    step_through(JUMPS, 0, 1, 0);
    check(0, 1);
}

Test(recorder_step, hooked_calls_that_are_taken_back) {
    hooked = 1;
    step_through(RETURNS, 1, 1, 0);
    check(0, 0);
}

Test(recorder_step, jumping_out_of_taking_hooked_calls_back) {
    hooked = 1;
    step_through(JUMPS, 0, 1, 0);
    check(0, 1);
}

#endif
