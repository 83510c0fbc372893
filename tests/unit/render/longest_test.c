/*
 * Which calls are kept where only so many are wanted: the number is exact, the choice is right to 1/64 of a duration.
 * Cannot find: a format that asks wrongly (format_chrome_test.c, formats_test.c).
 */
#include "render/longest.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

struct counting {
    struct ts_duration_counts counts;
    struct ts_sink sink;
    struct ts_stream stream;
};

static struct counting *begin(uint64_t max_depth) {
    struct counting *counting = calloc(1, sizeof *counting);
    counting->counts.max_depth = max_depth;
    counting->sink = ts_longest_sink(&counting->counts);
    counting->sink.select(&counting->counts, &counting->stream);
    return counting;
}

static void enter(struct counting *counting, uint64_t start) {
    counting->sink.enter(&counting->counts, NULL, start, 0);
}

static void leave(struct counting *counting, uint64_t end, enum ts_leave_how how) {
    counting->sink.leave(&counting->counts, end, how);
}

static void call(struct counting *counting, uint64_t duration) {
    enter(counting, 0);
    leave(counting, duration, TS_LEAVE_EXIT);
}

static struct ts_longest choose(struct counting *counting, uint64_t max_calls) {
    counting->sink.finish(&counting->counts, &counting->stream);
    cr_expect_null(counting->stream.user);
    struct ts_longest longest = ts_longest_choose(&counting->counts, max_calls);
    free(counting);
    return longest;
}

static bool keeps(struct ts_longest *longest, uint64_t duration) {
    return ts_longest_keeps(longest, duration, TS_LEAVE_EXIT);
}

static void expect_all(struct ts_longest longest) {
    cr_expect_eq(longest.all_from_ns, 0u);
    cr_expect(keeps(&longest, 0));
}

Test(longest, of_two_calls_the_longer_one) {
    for (unsigned power = 0; power < 64; power++) {
        for (uint64_t part = 0; part < 64; part++) {
            uint64_t shorter = (UINT64_C(1) << power) + (power > 6 ? part << (power - 6) : part);
            uint64_t longer = shorter + (shorter < 128 ? 1 : shorter / 64 + 1);
            if (longer < shorter)
                continue;
            struct counting *counting = begin(UINT64_MAX);
            call(counting, shorter);
            call(counting, longer);
            struct ts_longest longest = choose(counting, 1);
            cr_expect(!keeps(&longest, shorter), "%" PRIu64, shorter);
            cr_expect(keeps(&longest, longer), "%" PRIu64, longer);
        }
    }
}

/* xorshift64* (Vigna 2016) */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

Test(longest, the_number_is_exact_and_no_much_longer_call_is_left_out) {
    enum { CALLS = 3000 };
    uint64_t state = 1, durations[CALLS];
    for (uint64_t max_calls = 1; max_calls < CALLS; max_calls += 97) {
        struct counting *counting = begin(UINT64_MAX);
        unsigned powers = 2 + (unsigned)(next_random(&state) % 62);
        for (size_t i = 0; i < CALLS; i++) {
            durations[i] = 1 + (next_random(&state) >> (63 - next_random(&state) % powers));
            call(counting, durations[i]);
        }
        struct ts_longest longest = choose(counting, max_calls);
        uint64_t kept = 0, shortest_kept = UINT64_MAX, longest_dropped = 0;
        for (size_t i = 0; i < CALLS; i++) {
            if (keeps(&longest, durations[i])) {
                kept++;
                shortest_kept = durations[i] < shortest_kept ? durations[i] : shortest_kept;
            } else if (durations[i] > longest_dropped) {
                longest_dropped = durations[i];
            }
        }
        cr_expect_eq(kept, max_calls);
        cr_expect_leq(longest_dropped, shortest_kept + shortest_kept / 64);
    }
}

Test(longest, of_equal_calls_the_first) {
    struct counting *counting = begin(UINT64_MAX);
    for (int i = 0; i < 10; i++)
        call(counting, 5000);
    call(counting, 5000000);
    struct ts_longest longest = choose(counting, 4);
    for (int i = 0; i < 10; i++)
        cr_expect_eq(keeps(&longest, 5000), i < 3, "call %d", i);
    cr_expect(keeps(&longest, 5000000));
}

Test(longest, all_where_there_are_no_more) {
    struct counting *counting = begin(UINT64_MAX);
    call(counting, 1);
    call(counting, 0);
    expect_all(choose(counting, 2));
    expect_all(choose(begin(UINT64_MAX), 0));
    expect_all((struct ts_longest){0});
}

Test(longest, unfinished_calls_are_kept_and_take_the_place_of_others) {
    struct counting *counting = begin(UINT64_MAX);
    enter(counting, 0);
    enter(counting, 10);
    call(counting, 500);
    call(counting, 400);
    leave(counting, 20, TS_LEAVE_UNFINISHED);
    leave(counting, 21, TS_LEAVE_UNFINISHED);
    struct ts_longest three = ts_longest_choose(&counting->counts, 3);
    struct ts_longest one = choose(counting, 1);
    cr_expect(keeps(&three, 500));
    cr_expect(!keeps(&three, 400));
    cr_expect(!keeps(&one, 500));
    cr_expect(ts_longest_keeps(&one, 1, TS_LEAVE_UNFINISHED));
    cr_expect(ts_longest_keeps(&one, 1, TS_LEAVE_UNFINISHED));
}

Test(longest, calls_too_deep_to_be_written_are_not_counted) {
    struct counting *counting = begin(2);
    for (uint64_t i = 0; i < 1000; i++)
        enter(counting, i);
    for (uint64_t i = 0; i < 1000; i++)
        leave(counting, 1000 + i, TS_LEAVE_EXIT);
    call(counting, 5);
    leave(counting, 3000, TS_LEAVE_EXIT); /* of nothing */
    expect_all(ts_longest_choose(&counting->counts, 3));
    struct ts_longest longest = choose(counting, 2);
    cr_expect(keeps(&longest, 1999));
    cr_expect(keeps(&longest, 1997));
    cr_expect(!keeps(&longest, 5));
}

/* Times of a damaged trace can be anything. */
Test(longest, durations_of_centuries) {
    struct counting *counting = begin(UINT64_MAX);
    call(counting, UINT64_MAX - 1);
    call(counting, UINT64_MAX - 2);
    enter(counting, 100);
    leave(counting, 50, TS_LEAVE_EXIT);
    struct ts_longest longest = choose(counting, 1);
    cr_expect(keeps(&longest, UINT64_MAX - 1));
    cr_expect(!keeps(&longest, UINT64_MAX - 2));
    cr_expect(!keeps(&longest, 1));
}
