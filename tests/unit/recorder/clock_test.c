/* Cannot find: a counter that runs at another rate on another processor. */
#include "collector/clock.h"

#include <criterion/criterion.h>
#include <time.h>

static uint64_t difference(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

static void check_pair(void) {
    struct ts_clock_pair pair;
    uint64_t before_ns = ts_system_nanoseconds(CLOCK_MONOTONIC), before = ts_clock_now();
    uint64_t before_real = ts_system_nanoseconds(CLOCK_REALTIME);
    ts_clock_pair_take(&pair);
    uint64_t after_ns = ts_system_nanoseconds(CLOCK_MONOTONIC), after = ts_clock_now();
    uint64_t after_real = ts_system_nanoseconds(CLOCK_REALTIME);
    cr_assert(before <= pair.clock && pair.clock <= after);
    cr_assert(before_ns <= pair.monotonic_ns && pair.monotonic_ns <= after_ns);
    cr_assert(difference(pair.realtime_ns, before_real) < 1000000000 + (after_real - before_real));
}

/* Ticks per second, by two pairs 30 ms apart. */
static double measured_hz(void) {
    struct ts_clock_pair start, end;
    ts_clock_pair_take(&start);
    ts_system_sleep(30000000);
    ts_clock_pair_take(&end);
    cr_assert_gt(end.monotonic_ns, start.monotonic_ns);
    return (double)(end.clock - start.clock) * 1e9 / (double)(end.monotonic_ns - start.monotonic_ns);
}

Test(clock, chosen_clock_runs_at_the_rate_that_it_states) {
    ts_clock_choose(0);
    check_pair();
    double hz = measured_hz();
    cr_assert_gt(hz, 1e6);
    cr_assert_lt(hz, 1e11);
    if (ts_clock_hz())
        cr_assert_lt(hz / (double)ts_clock_hz(), 1.01);
    if (ts_clock_hz())
        cr_assert_gt(hz / (double)ts_clock_hz(), 0.99);
    cr_assert_eq(ts_clock_kind() == TS_CLOCK_MONOTONIC, ts_clock_source == TS_CLOCK_SOURCE_SYSTEM);
}

Test(clock, system_clock_is_in_quarter_nanoseconds) {
    ts_clock_choose(1);
    cr_assert_eq(ts_clock_source, TS_CLOCK_SOURCE_SYSTEM);
    cr_assert_eq(ts_clock_kind(), TS_CLOCK_MONOTONIC);
    cr_assert_eq(ts_clock_hz(), UINT64_C(4000000000));
    check_pair();
    struct ts_clock_pair pair;
    ts_clock_pair_take(&pair);
    cr_assert_eq(pair.clock, pair.monotonic_ns << 2, "both sides of a pair are one reading");
    uint64_t before = ts_system_nanoseconds(CLOCK_MONOTONIC) << 2, now = ts_clock_now();
    cr_assert(before <= now && now <= ts_system_nanoseconds(CLOCK_MONOTONIC) << 2);
}

Test(clock, never_goes_back) {
    for (int system = 0; system < 2; system++) {
        ts_clock_choose(system);
        uint64_t last = ts_clock_now();
        for (unsigned i = 0; i < 100000; i++) {
            uint64_t now = ts_clock_now();
            cr_assert_geq(now, last);
            last = now;
        }
    }
}
