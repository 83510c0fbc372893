/*
 * Signals at every instruction of the hot path, the handler instrumented like everything else, through the hooks that
 * compilers' calls reach. Cannot find: what only shows on a processor with a weaker memory order.
 */
#include "collector/recorder.h"
#include "collector/trace_map.h"
#include "preload/instrument.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"
#include "tests/unit/recorder/thread_sanitizer.h"

#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

TestSuite(recorder_signal, .fini = scene_end);

#define STORM_NS 500000000u
#define MOST_ROUNDS 4000000u

static struct ts_instrument_hooks hooks;
static volatile uint64_t handled, jumped, leaves, middles;
static volatile int jumps; /* every third handler leaves by siglongjmp */
static volatile int storm_may_jump;
static sigjmp_buf restart;

#define ENTER(function) hooks.enter((void *)(function), __builtin_return_address(0))
#define LEAVE(function) hooks.exit((void *)(function), __builtin_return_address(0))

__attribute__((noinline)) static void leaf(void) {
    ENTER(leaf);
    leaves++;
    LEAVE(leaf);
}

__attribute__((noinline)) static void middle(void) {
    ENTER(middle);
    middles++;
    leaf();
    leaf();
    LEAVE(middle);
}

__attribute__((noinline)) static void handler_inner(void) {
    ENTER(handler_inner);
    handled++;
    if (jumps && storm_may_jump && handled % 3 == 0) {
        jumped++;
        siglongjmp(restart, 1);
    }
    LEAVE(handler_inner);
}

__attribute__((noinline)) static void handler(int signal) {
    (void)signal;
    ENTER(handler);
    handler_inner();
    LEAVE(handler);
}

__attribute__((noinline)) static void outer(void) {
    ENTER(outer);
    for (unsigned i = 0; i < 16; i++)
        middle();
    LEAVE(outer);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void set_timer(int microseconds) {
    struct itimerval timer = {.it_interval = {.tv_usec = microseconds}, .it_value = {.tv_usec = microseconds}};
    cr_assert_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* Its runtime takes the signals, and runs the handlers when it likes, also where the kernel would block them. */
static void skip_under_thread_sanitizer(void) {
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test("ThreadSanitizer delivers signals where they are blocked");
}

static void storm(int with_jumps) {
    struct sigaction action = {.sa_handler = handler};
    volatile unsigned rounds = 0;
    uint64_t end = now() + STORM_NS;
    skip_under_thread_sanitizer();
    scene_begin(UINT64_C(512) << 20, TS_FULL_STOP);
    hooks = ts_instrument_choose(ts_clock_source, 0, 0);
    jumps = with_jumps;
    outer();
    cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
    set_timer(30);
    if (with_jumps)
        sigsetjmp(restart, 1);
    storm_may_jump = 1;
    while (now() < end && rounds < MOST_ROUNDS / 32) {
        outer();
        rounds++;
    }
    storm_may_jump = 0;
    set_timer(0);
    outer(); /* the dead calls below it end here */
}

static struct reading *read_storm(void) {
    struct reading *reading = reading_open(scene_trace());
    for (unsigned i = 0; i < TS_LOST_SLOTS; i++)
        cr_assert_eq(reading->header->lost_events[i], 0, "%llu events lost, reason %u",
                     (unsigned long long)reading->header->lost_events[i], i);
    cr_assert_gt(handled, 20, "no storm: %llu signals", (unsigned long long)handled);
    cr_assert_eq(reading_count(reading, 1).pending, 0);
    cr_assert_eq(scene_shadow_depth(), 0);
    return reading;
}

Test(recorder_signal, handlers_that_return_lose_and_add_nothing) {
    storm(0);
    struct reading *reading = read_storm();
    struct reading_counts counts = reading_count(reading, 1);
    uint64_t outers = middles / 16;
    cr_assert_eq(leaves, 2 * middles);
    cr_assert_eq(counts.enters, leaves + middles + outers + 2 * handled, "%llu calls, %llu in the file",
                 (unsigned long long)(leaves + middles + outers + 2 * handled), (unsigned long long)counts.enters);
    cr_assert_eq(counts.exits, counts.enters);
    cr_assert_eq(counts.unwound, 0, "%llu calls that live were unwound", (unsigned long long)counts.unwound);
    cr_assert_eq(reading->header->misnested, 0);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)middle, (uint64_t)outer), middles);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)leaf, (uint64_t)middle), leaves);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)handler_inner, (uint64_t)handler), handled);
    reading_close(reading);
}

Test(recorder_signal, handlers_that_jump_away_leave_a_balance) {
    storm(1);
    struct reading *reading = read_storm();
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_gt(jumped, 0);
    cr_assert_gt(counts.unwound, 0);
    cr_assert_eq(counts.enters, counts.exits + counts.unwound, "%llu enters, %llu exits, %llu unwound",
                 (unsigned long long)counts.enters, (unsigned long long)counts.exits,
                 (unsigned long long)counts.unwound);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)handler_inner, (uint64_t)handler), handled);
    uint64_t seen = reading_calls_below(reading, 1, (uint64_t)leaf, (uint64_t)middle);
    cr_assert_geq(seen, leaves, "%llu leaves ran, the file has %llu", (unsigned long long)leaves,
                  (unsigned long long)seen);
    cr_assert_leq(seen, leaves + jumped, "a jump cuts one call before it counts itself");
    reading_close(reading);
}

/* As above, in windows that are recycled all the time: the shadow stack and the file must not part. */
Test(recorder_signal, in_a_small_ring) {
    struct sigaction action = {.sa_handler = handler};
    uint64_t end = now() + STORM_NS;
    skip_under_thread_sanitizer();
    scene_begin(SCENE_BYTES_SMALL / 4, TS_FULL_RING);
    hooks = ts_instrument_choose(ts_clock_source, 0, 0);
    cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
    set_timer(30);
    while (now() < end)
        outer();
    set_timer(0);
    cr_assert_eq(scene_shadow_depth(), 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    uint64_t made = leaves + middles + middles / 16 + 2 * handled;
    uint64_t all = counts.enters + reading->header->dropped_calls;
    /* The dropped ones follow from the windows' sizes: holes of interrupted reservations may be a word or two each. */
    cr_assert(all <= made + reading->header->dropped_windows && all + reading->header->dropped_windows >= made,
              "%llu calls made, %llu in the file and %llu dropped", (unsigned long long)made,
              (unsigned long long)counts.enters, (unsigned long long)reading->header->dropped_calls);
    cr_assert_eq(counts.unwound, 0);
    cr_assert_eq(reading->header->misnested, 0);
    reading_close(reading);
}
