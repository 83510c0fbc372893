/* Ticks to nanoseconds. Cannot find: a recorder that takes its pairs badly on purpose. */
#include "collector/trace_format.h"
#include "render/clock_fit.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#define TSC TS_CLOCK_TSC
/* 2.5 ticks per ns. */
#define HZ UINT64_C(2500000000)
#define START_TICKS UINT64_C(900000000000000)
#define START_NS UINT64_C(500000000000)

static struct ts_clock_point at_ns(uint64_t since, int64_t off) {
    return (struct ts_clock_point){START_TICKS + since * 5 / 2, START_NS + since + (uint64_t)off};
}

static uint64_t ns_of(const struct ts_clock_fit *fit, uint64_t since) {
    return ts_clock_fit_ns(fit, START_TICKS + since * 5 / 2) - START_NS;
}

static void expect_near(const struct ts_clock_fit *fit, uint64_t since, uint64_t tolerance) {
    uint64_t ns = ns_of(fit, since);
    uint64_t off = ns > since ? ns - since : since - ns;
    if (off > tolerance)
        cr_assert_fail("%" PRIu64 " became %" PRIu64, since, ns);
}

/* No tick runs backwards, over the whole range and around every piece. */
static void expect_monotone(const struct ts_clock_fit *fit) {
    uint64_t last = 0;
    for (size_t i = 0; i < fit->piece_count; i++) {
        const struct ts_clock_piece *piece = &fit->pieces[i];
        if (i)
            cr_assert_eq(piece->clock, piece[-1].clock + piece[-1].span);
        uint64_t span = piece->span == UINT64_MAX ? UINT64_MAX - piece->clock : piece->span - 1;
        const uint64_t probes[] = {0, span / 1000, span / 3, span / 2, span - (span > 0), span};
        for (size_t p = 0; p < sizeof(probes) / sizeof(*probes); p++) {
            uint64_t ns = ts_clock_fit_ns(fit, piece->clock + probes[p]);
            cr_assert_geq(ns, last);
            last = ns;
        }
    }
    cr_assert_eq(fit->pieces[0].clock, 0);
    cr_assert_leq(last, UINT64_C(1) << 62);
}

Test(clock_fit, monotonic_clock_is_exact_without_any_pair) {
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TS_CLOCK_MONOTONIC, 0, NULL, 0);
    const uint64_t values[] = {0, 1, 3, 4, 5, UINT64_C(0x123456789abcdef0), UINT64_MAX - 1};
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        cr_assert_eq(ts_clock_fit_ns(&fit, values[i]), values[i] >> 2);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, two_pairs_far_apart_define_the_line_to_the_ns) {
    struct ts_clock_point points[] = {at_ns(0, 0), at_ns(UINT64_C(60000000000), 0)};
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, 0, points, 2);
    cr_assert_eq(fit.source, TS_CLOCK_RATE_PAIRS);
    cr_assert_eq(fit.hz, HZ);
    cr_assert_eq(fit.worst_residual_ns, 0);
    for (uint64_t since = 0; since < UINT64_C(60000000000); since += UINT64_C(1234567890))
        expect_near(&fit, since, 1);
    expect_near(&fit, UINT64_C(120000000000), 1);
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, short_baseline_uses_the_stated_rate) {
    /* 1 ms apart, 3 us of noise: the pairs alone would be off by 0.3 percent. */
    struct ts_clock_point points[] = {at_ns(0, 3000), at_ns(1000000, 0)};
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, HZ, points, 2);
    cr_assert_eq(fit.source, TS_CLOCK_RATE_STATED);
    uint64_t length = ns_of(&fit, 5000000) - ns_of(&fit, 0);
    cr_assert_leq(length, 5000001);
    cr_assert_geq(length, 4999999);
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, a_short_trace_has_the_rate_of_its_furthest_pairs) {
    /* The first two are 20 us apart: alone they would be off by 5 in 1000. */
    struct ts_clock_point points[] = {at_ns(0, 0), at_ns(20000, 100), at_ns(1000000, 30), at_ns(4000000, 0)};
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, 0, points, 4);
    cr_assert_eq(fit.source, TS_CLOCK_RATE_SHORT);
    cr_assert_eq(fit.short_ns, 4000000);
    cr_assert_eq(fit.hz, HZ);
    uint64_t length = ns_of(&fit, 5000000) - ns_of(&fit, 0);
    cr_assert_leq(length, 5000001);
    cr_assert_geq(length, 4999999);
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, a_single_pair_and_no_rate_is_said_to_be_a_guess) {
    struct ts_clock_point points[] = {at_ns(0, 0), {0, 0}};
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, 0, points, 2);
    cr_assert_eq(fit.source, TS_CLOCK_RATE_GUESS);
    cr_assert_eq(fit.point_count, 1);
    cr_assert_eq(ts_clock_fit_ns(&fit, START_TICKS + 1000), START_NS + 1000);
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, no_pair_at_all_still_converts) {
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, HZ, NULL, 0);
    cr_assert_eq(ts_clock_fit_ns(&fit, 2500), 1000);
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, pairs_whose_reader_was_interrupted_are_left_aside) {
    struct ts_clock_point points[100];
    for (uint64_t i = 0; i < 100; i++)
        points[i] = at_ns(i * UINT64_C(20000000), i % 10 == 4 ? 8000000 : (int64_t)(i * 37 % 80));
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, 0, points, 100);
    cr_assert_eq(fit.outliers, 10);
    cr_assert_leq(fit.worst_residual_ns, 100);
    for (uint64_t since = 0; since < UINT64_C(2000000000); since += 7777777)
        expect_near(&fit, since, 200);
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, a_bad_last_pair_does_not_bend_the_end) {
    struct ts_clock_point points[] = {at_ns(0, 0), at_ns(UINT64_C(1000000000), 0), at_ns(UINT64_C(2000000000), 0),
                                      at_ns(UINT64_C(2100000000), 50000000)};
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, HZ, points, 4);
    expect_near(&fit, UINT64_C(2100000000), 1000);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, two_pairs_that_contradict_the_stated_rate_lose) {
    struct ts_clock_point points[] = {at_ns(0, 0), at_ns(UINT64_C(100000000), 80000000)};
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, HZ, points, 2);
    cr_assert_eq(fit.source, TS_CLOCK_RATE_STATED);
    expect_near(&fit, UINT64_C(50000000), 1000);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, slewed_clock_is_followed_piece_by_piece) {
    /* NTP: 300 ppm fast for a minute, then 300 ppm slow. */
    struct ts_clock_point points[121];
    for (uint64_t i = 0; i <= 120; i++) {
        int64_t off = i <= 60 ? (int64_t)i * 300000 : (int64_t)(120 - i) * 300000;
        points[i] = at_ns(i * UINT64_C(1000000000), off);
    }
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, HZ, points, 121);
    cr_assert_leq(fit.worst_residual_ns, 1);
    cr_assert_eq(fit.outliers, 0);
    uint64_t ns = ns_of(&fit, UINT64_C(60000000000));
    cr_assert_eq(ns, UINT64_C(60018000000));
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, suspend_keeps_both_sides_in_place) {
    /* The counter ran on for an hour of sleep that CLOCK_MONOTONIC did not count. */
    struct ts_clock_point points[20];
    for (uint64_t i = 0; i < 10; i++) {
        points[i] = at_ns(i * UINT64_C(100000000), 0);
        points[10 + i] = at_ns(UINT64_C(3601000000000) + i * UINT64_C(100000000), -INT64_C(3600000000000));
    }
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, HZ, points, 20);
    cr_assert_eq(fit.outliers, 0);
    expect_near(&fit, 500000000, 1);
    cr_assert_eq(ns_of(&fit, UINT64_C(3601500000000)), UINT64_C(1500000000));
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

/* A child in a time namespace, where CLOCK_MONOTONIC is `offset` off, between pairs of its parent. */
static void expect_lengths_beside_namespace(int64_t offset, uint64_t parents, uint64_t children, uint64_t apart) {
    struct ts_clock_point points[64];
    size_t count = 0;
    for (uint64_t i = 0; i < parents; i++)
        points[count++] = at_ns(i * apart, (int64_t)(i * 7 % 5));
    for (uint64_t i = 0; i < children; i++)
        points[count++] = at_ns((parents + i) * apart, offset + (int64_t)(i * 5 % 7));
    points[count++] = at_ns((parents + children) * apart, 0);
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, 0, points, count);
    for (uint64_t i = 0; i < parents + children; i++) {
        uint64_t length = ns_of(&fit, (i + 1) * apart) - ns_of(&fit, i * apart);
        if (length > apart + apart / 100)
            cr_assert_fail("offset %" PRId64 ": %" PRIu64 " became %" PRIu64, offset, apart, length);
    }
    expect_monotone(&fit);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, another_time_namespace_makes_no_duration_longer) {
    static const int64_t seconds[] = {1000, 5, -5, -300};
    for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
        expect_lengths_beside_namespace(seconds[i] * 1000000000, 5, 8, 30000000);
        expect_lengths_beside_namespace(seconds[i] * 1000000000, 8, 5, 30000000);
        expect_lengths_beside_namespace(seconds[i] * 1000000000, 2, 9, 3000000);
        expect_lengths_beside_namespace(seconds[i] * 1000000000, 1, 12, 30000000);
    }
}

Test(clock_fit, many_threads_with_close_pairs_cost_bounded_pieces) {
    size_t count = 200000;
    struct ts_clock_point *points = malloc(count * sizeof(*points));
    for (size_t i = 0; i < count; i++)
        points[i] = at_ns((uint64_t)i * 50000, (int64_t)(i * 7919 % 60));
    struct ts_clock_fit fit;
    ts_clock_fit_make(&fit, TSC, 0, points, count);
    cr_assert_leq(fit.piece_count, 300);
    cr_assert_leq(fit.worst_residual_ns, 60);
    expect_monotone(&fit);
    free(points);
    ts_clock_fit_free(&fit);
}

Test(clock_fit, random_pairs_never_run_backwards) {
    uint64_t random = 7;
    for (int round = 0; round < 300; round++) {
        struct ts_clock_point points[64];
        size_t count = (size_t)round % 64;
        for (size_t i = 0; i < count; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            points[i].clock = random >> (random >> 58);
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            points[i].ns = random >> (random >> 58);
        }
        struct ts_clock_fit fit;
        ts_clock_fit_make(&fit, TSC, round % 3 ? 0 : random, points, count);
        expect_monotone(&fit);
        ts_clock_fit_free(&fit);
    }
}
