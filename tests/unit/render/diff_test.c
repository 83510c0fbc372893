/* The comparison of two sessions, byte by byte, and its statistics against values from tables. */
#include "render/diff.h"
#include "render/variance.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ts_call_count count_of(const uint64_t *durations, size_t calls) {
    struct ts_call_count count = {.calls = calls};
    for (size_t i = 0; i < calls; i++) {
        count.durations += durations[i];
        count.squares += (unsigned __int128)durations[i] * durations[i];
    }
    return count;
}

/* The expected chance is from integrating Student's distribution numerically. */
Test(diff, welch) {
    const uint64_t a[] = {275, 219, 229, 186, 228, 266, 231, 222, 245, 202};
    const uint64_t b[] = {305, 261, 262, 223, 263, 310, 262, 263, 291, 235};
    struct ts_call_count left = count_of(a, 10), right = count_of(b, 10);
    double chance = ts_variance_chance(&left, &right);
    cr_expect(fabs(chance - 0.00692111) < 1e-6, "%.8f", chance);
    cr_expect_eq(ts_variance_deviation(&left), 27);
    cr_expect(fabs(ts_variance_chance(&left, &left) - 1) < 1e-9);
}

Test(diff, welch_without_variance) {
    const uint64_t a[] = {5, 5, 5}, b[] = {6, 6}, one[] = {7};
    struct ts_call_count left = count_of(a, 3), right = count_of(b, 2), single = count_of(one, 1);
    cr_expect_eq(ts_variance_chance(&left, &right), 0);
    cr_expect_eq(ts_variance_chance(&left, &left), 1);
    cr_expect_eq(ts_variance_chance(&left, &single), -1);
    cr_expect_eq(ts_variance_deviation(&single), 0);
}

/* Durations of hours, whose squares are beyond 64 bits, that differ by microseconds. */
Test(diff, deviation_of_long_calls) {
    const uint64_t long_ones[] = {UINT64_C(10000000000000), UINT64_C(10000000002000)};
    struct ts_call_count count = count_of(long_ones, 2);
    uint64_t deviation = ts_variance_deviation(&count);
    cr_expect(deviation >= 1400 && deviation <= 1428, "%lu", deviation);
}

static struct sink_script *run(uint64_t read_ns, const char *only_here) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    sink_script_call(script, "read", "libc.so.6", 100, 100 + read_ns);
    sink_script_call(script, "read", "libc.so.6", 5000, 5000 + read_ns);
    sink_script_call(script, "same", "demo", 20000, 20100);
    sink_script_call(script, only_here, "demo", 30000, 30200);
    return script;
}

Test(diff, text) {
    struct sink_script *a = run(300, "old"), *b = run(1000, "fresh");
    struct ts_call_stats before = {0}, after = {0};
    struct ts_error error;
    char *text;
    size_t bytes;
    struct ts_sink sink = ts_call_stats_sink(&before);
    sink_script_play(a, &sink);
    sink = ts_call_stats_sink(&after);
    sink_script_play(b, &sink);
    FILE *out = open_memstream(&text, &bytes);
    const struct ts_diff_side sides[] = {{"one", &before}, {"two", &after}};
    cr_assert_eq(ts_diff_write(&sides[0], &sides[1], 3, false, out, &error), 0);
    fclose(out);
    cr_expect_str_eq(
        strstr(text, "# change "),
        "# change  self A  self B  total A  total B  calls A  calls B  avg A  avg B      p  name {scope}\n"
        "+1.4µs     600ns   2.0µs    600ns    2.0µs        2        2  300ns  1.0µs  <.001  read {libc.so.6}\n"
        "+200ns         -   200ns        -    200ns        -        1      -  200ns    new  fresh {demo}\n"
        "-200ns     200ns       -    200ns        -        1        -  200ns      -   gone  old {demo}\n"
        "# … 1 more functions\n");
    free(text);
    ts_call_stats_free(&before);
    ts_call_stats_free(&after);
    sink_script_free(a);
    sink_script_free(b);
}
